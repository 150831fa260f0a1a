import { methodPath } from "../call/method-path.ts";
import { prepareDryRun } from "../config/inspect.ts";
import { printLine } from "./output.ts";

/** Runs `connect-rest methods`: prints the configured methods, one per line. */
export async function methods({ config }: { readonly config: string }): Promise<void> {
  const { adapters } = await prepareDryRun(config, process.env);
  const paths = adapters.flatMap(({ methods }) =>
    Object.values(methods).map(({ method }) => methodPath(method)),
  );
  for (const path of paths.toSorted()) printLine(path);
}
