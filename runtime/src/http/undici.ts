/** The parts of undici that the runtime uses. */
import "./builtin-require.ts";

export { buildConnector, Client, errors, Pool } from "undici";
