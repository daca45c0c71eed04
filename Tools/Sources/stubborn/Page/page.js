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
    // Texts are marked without a change of the page: https://www.w3.org/TR/css-highlight-api-1/.
    const highlights = Object.fromEntries(["found", "json-key", "json-text", "json-number"].map(name => {
        const highlight = typeof Highlight === "function" ? new Highlight() : null;
        if (highlight) CSS.highlights.set(name, highlight);
        return [name, highlight];
    }));
    const mark = (name, node, start, end) => {
        if (!highlights[name]) return;
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, end);
        highlights[name].add(range);
    };

    // Marks the words of the search in the rows that are seen and in the stubs that are open.
    function markWords(words) {
        highlights.found?.clear();
        let left = 2000;
        for (const stub of words.length ? stubs : []) {
            if (stub.hidden || left <= 0) continue;
            const walker = document.createTreeWalker(stub.open ? stub : stub.firstElementChild, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
                const content = node.data.toLowerCase();
                for (const word of words) {
                    for (let at = content.indexOf(word); at >= 0 && left > 0; at = content.indexOf(word, at + word.length)) {
                        mark("found", node, at, at + word.length);
                        left -= 1;
                    }
                }
            }
        }
    }

    // Colours the JSON of a stub that is opened for the first time.
    function colourJSON(stub) {
        for (const pre of stub.querySelectorAll("pre[data-kind=JSON]:not([data-coloured])")) {
            pre.dataset.coloured = "";
            const node = pre.firstChild;
            for (const match of node?.data.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g) ?? []) {
                const name = match[2] ? "json-key" : match[1] ? "json-text" : "json-number";
                mark(name, node, match.index, match.index + (match[1] ?? match[0]).length);
            }
        }
    }

    async function copy(button) {
        const stub = button.closest(".stub");
        const texts = {
            url: () => stub.querySelector(".url").textContent,
            curl: () => button.dataset.text,
            body: () => [...stub.querySelectorAll(".side:last-of-type pre")].at(-1).textContent,
        };
        // The labels are not text of the page, so that the search does not find them.
        const label = button.dataset.label;
        try {
            await navigator.clipboard.writeText(texts[button.dataset.copy]());
            button.dataset.label = "Copied";
        } catch {
            button.dataset.label = "The browser does not allow it";
        }
        setTimeout(() => { button.dataset.label = label; }, 1500);
    }

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
        markWords(words);
        history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
    }

    function readAddress() {
        const address = location.hash.slice(1);
        const linked = address && !address.includes("=") ? document.getElementById(address) : null;
        if (linked) { linked.open = true; linked.scrollIntoView(); return; }
        for (const part of address.split("&")) {
            const [name, text] = part.split("=");
            const field = fields.find(field => field.id === name);
            if (!field || text === undefined) continue;
            // An address that was cut off or typed may have a part that cannot be decoded.
            try { field.value = decodeURIComponent(text); } catch { field.value = text; }
        }
    }

    const openAll = isOpen => { for (const stub of stubs) if (!stub.hidden) stub.open = isOpen; };
    document.getElementById("filters").addEventListener("input", filter);
    document.getElementById("filters").addEventListener("submit", event => event.preventDefault());
    document.getElementById("open").addEventListener("click", () => openAll(true));
    document.getElementById("close").addEventListener("click", () => openAll(false));
    document.addEventListener("toggle", event => {
        if (!event.target.open) return;
        colourJSON(event.target);
        markWords(value("search").toLowerCase().split(/\s+/).filter(Boolean));
    }, true);
    document.addEventListener("click", event => {
        const button = event.target.closest?.("[data-copy]");
        if (button) copy(button);
    });
    document.addEventListener("keydown", event => {
        const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
        if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        document.getElementById("search").focus();
    });
    readAddress();
    if (!location.hash || location.hash.includes("=")) filter();
    else document.getElementById("count").textContent = `${stubs.length} of ${stubs.length} stubs`;
})();
