/**
 * A client that attacks a port: how, and which one, are its arguments. Asked by its parent, it says how often
 * it did.
 */
import { attackOf } from "../attacks/index.ts";

const [, , name, port] = process.argv;
let done = 0;
process.on("message", () => process.send?.(done));
process.on("disconnect", () => process.exit());
process.send?.(done);
await attackOf(name).begin(Number(port), (count) => {
  done += count;
});
