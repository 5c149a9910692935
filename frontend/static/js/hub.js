// Copy buttons, "/" to search, keys between rollouts and their messages, live pages. Every page works without this file.
document.documentElement.classList.add("js"); // shows the copy buttons

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.previousElementSibling;
  const label = button.textContent;
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } else { // browsers give plain http no clipboard: select it, the reader presses Ctrl-C
    getSelection().selectAllChildren(text);
    button.textContent = "Ctrl-C";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("input[type=search]")?.focus();
  }
  const rel = { ArrowLeft: "prev", p: "prev", ArrowRight: "next", n: "next" }[event.key];
  if (rel) document.querySelector(`main a[rel=${rel}]`)?.click();
  const step = { j: 1, k: -1 }[event.key];
  if (step) showMessage(step);
});

// Move the address from message to message of a rollout; the one before the first is the first.
const showMessage = (step) => {
  const outline = [...document.querySelectorAll(".outline a")];
  const at = outline.findIndex((link) => link.hash === location.hash);
  const to = at < 0 ? 0 : Math.min(outline.length - 1, Math.max(0, at + step));
  if (outline.length) location.hash = outline[to].hash;
};

// What an address names is shown, also inside of a folded part.
const unfold = () => {
  const named = location.hash && document.getElementById(location.hash.slice(1));
  for (let at = named; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const own = named && named.querySelector(":scope > details:only-of-type");
  if (own && named.matches(".turn")) own.open = true;
};
addEventListener("hashchange", unfold);
unfold();

// A page that nobody looks at asks for nothing new; one whose hub fails asks ever more rarely.
let failures = 0;
let quietUntil = 0;
document.addEventListener("htmx:beforeRequest", (event) => {
  const quiet = document.hidden || Date.now() < quietUntil;
  if (event.detail.elt.id === "live" && quiet) event.preventDefault();
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt.id !== "live") return;
  failures = event.detail.failed || !event.detail.successful ? failures + 1 : 0;
  quietUntil = failures ? Date.now() + 1000 * Math.min(30, 2 ** failures) : 0;
});

// A log shows its end, and a live one stays there; where the reader went elsewhere, it stays there.
const logEnd = (log) => log.scrollHeight - log.clientHeight;
let leftAt = null; // null for the end
const showLog = () => {
  const log = document.getElementById("log");
  if (log) log.scrollTop = leftAt ?? logEnd(log);
};
document.addEventListener("htmx:beforeSwap", () => {
  const log = document.getElementById("log");
  leftAt = log && logEnd(log) - log.scrollTop > 40 ? log.scrollTop : null;
});
document.addEventListener("htmx:afterSwap", showLog);
showLog();
