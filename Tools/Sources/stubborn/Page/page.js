"use strict";
// Filters the stubs by what the fields say, and keeps the fields in the address, so that a view can be passed on.
(() => {
    const fields = ["search", "method", "status", "file", "change"].map(id => document.getElementById(id)).filter(Boolean);
    const sections = [...document.querySelectorAll(".file")];
    const stubs = [...document.querySelectorAll(".stub")];
    const texts = new Map();
    const text = stub => {
        if (!texts.has(stub)) texts.set(stub, stub.textContent.toLowerCase());
        return texts.get(stub);
    };
    const value = id => document.getElementById(id)?.value ?? "";

    function filter() {
        const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
        let count = 0;
        for (const section of sections) {
            let isEmpty = true;
            for (const stub of section.querySelectorAll(".stub")) {
                const fits = (!value("method") || stub.dataset.method === value("method"))
                    && (!value("status") || stub.dataset.status === value("status"))
                    && (!value("file") || section.dataset.file === value("file"))
                    && (!value("change") || stub.dataset.change === value("change"))
                    && words.every(word => text(stub).includes(word));
                stub.hidden = !fits;
                if (fits) { count += 1; isEmpty = false; }
            }
            section.hidden = isEmpty && (section.querySelector(".problem") === null || words.length > 0);
        }
        document.getElementById("count").textContent = `${count} of ${stubs.length} stubs`;
        document.getElementById("nothing").hidden = count > 0 || stubs.length === 0;
        const parts = fields.filter(field => field.value).map(field => `${field.id}=${encodeURIComponent(field.value)}`);
        history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
    }

    function readAddress() {
        const address = location.hash.slice(1);
        const linked = address && !address.includes("=") ? document.getElementById(address) : null;
        if (linked) { linked.open = true; linked.scrollIntoView(); return; }
        for (const part of address.split("&")) {
            const [name, text] = part.split("=");
            const field = fields.find(field => field.id === name);
            if (field && text !== undefined) field.value = decodeURIComponent(text);
        }
    }

    const openAll = isOpen => { for (const stub of stubs) if (!stub.hidden) stub.open = isOpen; };
    document.getElementById("filters").addEventListener("input", filter);
    document.getElementById("filters").addEventListener("submit", event => event.preventDefault());
    document.getElementById("open").addEventListener("click", () => openAll(true));
    document.getElementById("close").addEventListener("click", () => openAll(false));
    readAddress();
    if (!location.hash || location.hash.includes("=")) filter();
    else document.getElementById("count").textContent = `${stubs.length} of ${stubs.length} stubs`;
})();
