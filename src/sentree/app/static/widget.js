/**
 * The notebook's widget (an anywidget): a frame with the page in it. The frame is a document of its own,
 * so that styles, ids and keys of the page and of the notebook do not meet.
 */

/**
 * @typedef {import("./js/kernel.js").Channel & {off: (event: string, callback: any) => void}} Model
 * @typedef {{html: string, modules: Record<string, string>}} Page
 */

/**
 * Ask the kernel for the page; without a kernel there is no answer.
 * @param {Model} model
 * @returns {Promise<Page>}
 */
function pageOf(model) {
  return new Promise((resolve) => {
    /** @param {{page?: Page}} message */
    const got = ({ page }) => {
      if (!page) return;
      model.off("msg:custom", got);
      resolve(page);
    };
    model.on("msg:custom", got);
    model.send({ page: true });
  });
}

/**
 * Start the page's modules in a frame. They import each other by name; an import map says where each is.
 * @param {HTMLIFrameElement} frame
 * @param {Page["modules"]} modules
 * @param {import("./js/kernel.js").Channel} channel
 */
function start(frame, modules, channel) {
  const inside = /** @type {Document} */ (frame.contentDocument);
  const urls = Object.entries(modules).map(([name, text]) => [
    name, URL.createObjectURL(new Blob([text, `\n//# sourceURL=${name}`], { type: "text/javascript" })),
  ]);
  const imports = Object.fromEntries(urls);
  /** @type {any} */ (frame.contentWindow).channel = channel;
  const map = inside.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify({ imports });
  const entry = inside.createElement("script");
  entry.type = "module";
  entry.src = imports["sentree/notebook.js"];
  entry.onload = () => urls.forEach(([, url]) => URL.revokeObjectURL(url));
  inside.head.append(map, entry);
}

/** @param {{model: Model, el: HTMLElement}} view */
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "sentree";
  // The page follows the notebook's light or dark colours.
  frame.style.cssText = `display: block; box-sizing: border-box; width: 100%; height: ${model.get("_height")}px; border: 1px solid #8884;
    border-radius: 6px; color-scheme: ${document.body.dataset.jpThemeLight === "false" ? "dark" : "light"}`;
  el.textContent = "Run this cell to see the map."; // until the kernel answers
  /** @type {[string, any][]} */
  let listening = [];
  const stop = () => {
    for (const [event, callback] of listening) model.off(event, callback);
    listening = [];
  };
  pageOf(model).then(({ html, modules }) => {
    // A notebook that takes its cells out of the document and back loads the frame again.
    frame.addEventListener("load", () => {
      stop();
      start(frame, modules, {
        send: (message) => model.send(message),
        on(event, callback) {
          listening.push([event, callback]);
          model.on(event, callback);
        },
        get: (name) => model.get(name),
        set: (name, value) => model.set(name, value),
        save_changes: () => model.save_changes(),
      });
    });
    frame.srcdoc = html;
    el.replaceChildren(frame);
  });
  return stop;
}

export default { render };
