"use strict";
// Filters the stubs by the input fields, and keeps the fields in the address, so that a view can be passed on. Only
// content near the window is laid out, and the details of a stub become elements when it is opened.
(() => {
    const element = id => document.getElementById(id);
    // Without this script the fields and buttons do nothing, and are not shown.
    document.documentElement.className = "js";
    element("filters").hidden = false;
    const header = document.querySelector("header");
    new ResizeObserver(() => document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
    const fields = ["search", "method", "status", "file", "change"].map(element).filter(Boolean);
    const value = id => element(id)?.value ?? "";
    const standard = field => field.dataset.default ?? "";
    const files = [...document.querySelectorAll(".file")].map(file => ({
        file,
        groups: [...file.querySelectorAll(".rows")].map(group => ({
            group,
            stubs: [...group.children].map(stub => ({ stub, fits: true, ...stub.dataset })),
        })),
    }));
    const stubs = files.flatMap(({ groups }) => groups.flatMap(group => group.stubs));

    // The strings to search. They are made while the browser is idle, and at the latest by the first search.
    const entities = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'" };
    const text = entry => entry.text ??= (entry.stub.firstChild.textContent + " " + details(entry.stub)).toLowerCase();
    function details(stub) {
        if (stub.lastChild.localName !== "noscript") return stub.lastChild.textContent;
        return stub.lastChild.textContent.replace(/<[^>]*>/g, " ").replace(/&([a-z]+|#39);/g, (all, name) => entities[name] ?? all);
    }
    const whenIdle = window.requestIdleCallback ?? (work => setTimeout(() => work({ timeRemaining: () => 10 }), 50));
    let textCount = 0;
    whenIdle(function prepare(deadline) {
        while (textCount < stubs.length && deadline.timeRemaining() > 2) text(stubs[textCount++]);
        if (textCount < stubs.length) whenIdle(prepare);
    });

    // Words are marked without changing the page: https://www.w3.org/TR/css-highlight-api-1/.
    const highlights = Object.fromEntries(["json-key", "json-text", "json-number", "old", "new", "found"].map(name => {
        const highlight = typeof Highlight === "function" ? new Highlight() : null;
        if (highlight) CSS.highlights.set(name, highlight);
        return [name, highlight];
    }));
    function mark(name, node, startOffset, endOffset) {
        if (startOffset === endOffset) return;
        highlights[name]?.add(new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset }));
    }

    function* texts(root) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) yield walker.currentNode;
    }

    // Marks the words of the search in the rows near the window, and in the open stubs among them.
    let marks = 0;
    function markWords() {
        marks = 0;
        highlights.found?.clear();
        const words = searchedWords();
        let left = words.length ? 5000 : 0;
        for (const stub of left ? [...near].flatMap(group => [...group.children]) : []) {
            if (stub.hidden || left <= 0) continue;
            for (const node of texts(stub.open ? stub : stub.firstChild)) {
                if (left <= 0) break;
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
    // Many stubs can be opened at once; the words are marked once for all of them.
    const markWordsSoon = () => { marks ||= setTimeout(markWords); };
    const searchedWords = () => value("search").toLowerCase().split(/\s+/).filter(Boolean);

    // Makes elements for the details of a stub, with colors in its JSON and marks on changed lines.
    function render(stub) {
        if (stub.lastChild.localName !== "noscript") return;
        stub.lastChild.outerHTML = stub.lastChild.textContent;
        for (const pre of stub.querySelectorAll("pre[data-kind=JSON]")) {
            // An object or array folds into the line that opens it. Its text is unchanged, for copies and the search.
            pre.innerHTML = pre.innerHTML.replace(/^( *)(.*[{[])$/gm, "$1<details open><summary>$2</summary>")
                .replace(/^( *)([}\]],?)$/gm, "$1</details>$2");
            for (const node of texts(pre)) {
                for (const match of node.data.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g)) {
                    const name = match[2] ? "json-key" : match[1] ? "json-text" : "json-number";
                    mark(name, node, match.index, match.index + (match[1] ?? match[0]).length);
                }
            }
        }
        for (const row of stub.querySelectorAll(".diff .changed")) {
            const [before, after] = [...row.cells].map(cell => cell.firstChild);
            if (!before || !after) continue;
            const [old, now] = [before.data, after.data];
            let start = 0, end = 0;
            while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
            while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
            mark("old", before, start, old.length - end);
            mark("new", after, start, now.length - end);
        }
    }

    // The groups of rows that are near the window: a stub that is opened elsewhere is rendered when it comes near.
    const near = new Set();
    const observer = new IntersectionObserver(entries => {
        for (const { target, isIntersecting } of entries) {
            if (!isIntersecting) { near.delete(target); continue; }
            near.add(target);
            target.querySelectorAll(":scope > [open]").forEach(render);
        }
        markWordsSoon();
    }, { rootMargin: "100%" });
    for (const { groups } of files) for (const { group } of groups) observer.observe(group);

    async function copy(button) {
        const stub = button.closest(".stub");
        const texts = {
            url: () => stub.querySelector(".url").textContent,
            curl: () => button.dataset.text,
            body: () => [...stub.querySelectorAll(".side:last-of-type pre")].at(-1).textContent,
            link: () => location.href.replace(/#.*/s, "") + "#" + stub.id,
        };
        // The labels are not part of the page's text, so the search does not find them.
        const label = button.dataset.label;
        try {
            await navigator.clipboard.writeText(texts[button.dataset.copy]());
            button.dataset.label = "Copied";
        } catch {
            button.dataset.label = "The browser does not allow it";
        }
        setTimeout(() => { button.dataset.label = label; }, 1500);
    }

    // Shows a number of rows of a group or file, and reserves the space that they take before they are laid out.
    function resize(node, count, isHidden = count === 0) {
        node.hidden = isHidden;
        node.style.setProperty("--rows", count);
    }

    function filter() {
        const words = searchedWords();
        const [method, status, path, change] = ["method", "status", "file", "change"].map(value);
        let count = 0;
        for (const { file, groups } of files) {
            const isChosen = !path || file.dataset.file === path;
            let fileCount = 0;
            for (const { group, stubs } of groups) {
                let groupCount = 0;
                for (const entry of stubs) {
                    const fits = isChosen
                        && (!method || entry.method === method)
                        && (!status || entry.status === status)
                        && (!change || entry.change === change || (change === "differs" && ["changed", "new", "removed"].includes(entry.change)))
                        && words.every(word => text(entry).includes(word));
                    if (entry.fits !== fits) entry.stub.hidden = !(entry.fits = fits);
                    if (fits) groupCount += 1;
                }
                resize(group, groupCount);
                fileCount += groupCount;
            }
            const showsProblem = isChosen && !words.length && file.querySelector(":scope > .problem");
            resize(file, fileCount, fileCount === 0 && !showsProblem);
            count += fileCount;
        }
        document.body.classList.toggle("filtered", count < stubs.length);
        showCount(count);
        markWordsSoon();
        const parts = fields.filter(field => field.value !== standard(field)).map(field => `${field.id}=${encodeURIComponent(field.value)}`);
        history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
    }

    function showCount(count) {
        element("count").textContent = `${count} of ${stubs.length} stubs`;
        element("nothing").hidden = count > 0 || stubs.length === 0;
    }

    // Shows the view of the address: a stub, or a search.
    function readAddress() {
        const address = location.hash.slice(1);
        const linked = address && !address.includes("=") ? element(address) : null;
        if (linked) {
            linked.open = true;
            render(linked);
            linked.scrollIntoView();
            return showCount(stubs.filter(entry => entry.fits).length);
        }
        for (const field of fields) field.value = standard(field);
        for (const part of address.split("&")) {
            const [name, text] = part.split("=");
            const field = fields.find(field => field.id === name);
            if (!field || text === undefined) continue;
            // An address that was cut off or typed may contain a part that cannot be decoded.
            try { field.value = decodeURIComponent(text); } catch { field.value = text; }
        }
        filter();
    }

    const openAll = isOpen => { for (const { stub, fits } of stubs) if (fits) stub.open = isOpen; };
    // Opens the next or previous stub among those that match.
    let current = null;
    function step(count) {
        const fitting = stubs.filter(({ fits }) => fits).map(({ stub }) => stub);
        if (!fitting.length) return;
        const index = fitting.indexOf(current);
        current = fitting[index < 0 ? (count > 0 ? 0 : fitting.length - 1) : Math.min(Math.max(index + count, 0), fitting.length - 1)];
        current.open = true;
        render(current);
        current.scrollIntoView();
        current.firstChild.focus({ preventScroll: true });
    }
    element("previous").addEventListener("click", () => step(-1));
    element("next").addEventListener("click", () => step(1));
    element("filters").addEventListener("input", filter);
    element("filters").addEventListener("submit", event => event.preventDefault());
    element("open").addEventListener("click", () => openAll(true));
    element("close").addEventListener("click", () => openAll(false));
    document.addEventListener("toggle", ({ target }) => {
        if (!target.open || !near.has(target.parentElement)) return;
        render(target);
        markWordsSoon();
    }, true);
    document.addEventListener("click", event => {
        const button = event.target.closest?.("[data-copy]");
        if (button) copy(button);
    });
    document.addEventListener("keydown", event => {
        const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        const actions = { "/": () => element("search").focus(), n: () => step(1), p: () => step(-1) };
        if (!actions[event.key]) return;
        event.preventDefault();
        actions[event.key]();
    });
    // Closed stubs are opened for printing, and closed again.
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = stubs.filter(({ stub, fits }) => fits && !stub.open);
        openAll(true);
        document.querySelectorAll(".stub[open]").forEach(render);
    });
    window.addEventListener("afterprint", () => { for (const { stub } of opened) stub.open = false; });
    window.addEventListener("hashchange", readAddress);
    readAddress();
})();
