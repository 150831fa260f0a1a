/**
 * A client that attacks a port. Arguments: the attack and the port. Reports the number of its steps on
 * request.
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
