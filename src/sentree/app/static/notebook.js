/** The page in the frame of a notebook's widget, which leaves its channel to the kernel in the window. */
import { show } from "./main.js";
import { kernel, shareSelection } from "./js/kernel.js";

const { channel } = /** @type {any} */ (window);
shareSelection(channel, await show(kernel(channel)));
