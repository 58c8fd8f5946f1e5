/** The page as `sentree app` serves it. */
import { show } from "./main.js";
import { http } from "./js/transport.js";

await show(http());
