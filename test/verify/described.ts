/** Generates the code of changed descriptions, and compares recordings with them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { prepareDryRun } from "../../gateway/src/config/inspect.ts";
import { ProtoFiles } from "../../gateway/src/suggest/proto-files.ts";
import { Samples } from "../../gateway/src/suggest/samples.ts";
import { suggest } from "../../gateway/src/suggest/suggestion.ts";
import { exchangeOf } from "../../gateway/src/verify/har-entry.ts";
import type { Place } from "../../gateway/src/verify/locate.ts";
import { messagesBelow } from "../../gateway/src/verify/object-fields.ts";
import { Verifier } from "../../gateway/src/verify/verify.ts";
import { compileRequest } from "../generator-kit/compile.ts";
import { messageFiles } from "../requests/load-adapters.ts";
import { runGenerator } from "../support/run-generator.ts";

/** The texts of .proto files by their names. */
export type Sources = Readonly<Record<string, string>>;

/** Projects in a folder of this repository, so that their code is loaded like its own. */
export class Projects {
  private readonly folder = mkdtempSync(join(import.meta.dirname, ".projects-"));
  private readonly config: string;
  private count = 0;

  /** @param config the configuration of all projects */
  constructor(config: string) {
    this.config = config;
  }

  /**
   * Generates the code of descriptions, and returns the path of a configuration.
   *
   * @throws Error with the problems that the generator reports
   */
  generate(sources: Sources): string {
    const request = compileRequest(sources, "target=ts,import_extension=ts");
    const { files, error } = runGenerator(request);
    if (error !== "") throw new Error(error);
    const project = join(this.folder, String(this.count++));
    const protos = Object.entries(sources).map(([name, text]) => [`proto/${name}`, text] as const);
    const code = Object.entries({ ...messageFiles(request), ...files });
    const modules = code.map(([name, text]) => [`gen/${name}`, text] as const);
    for (const [name, text] of [...protos, ...modules, ["connect-rest.yaml", this.config] as const]) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    return join(project, "connect-rest.yaml");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Counts the different values of unknown keys. */
export class Distinct extends Samples {
  readonly values = new Map<string, Set<string>>();

  override difference(...[difference, place, method]: Parameters<Samples["difference"]>): void {
    super.difference(difference, place, method);
    const name = keyOf(place);
    const values = this.values.get(name) ?? new Set();
    this.values.set(name, values.add(JSON.stringify(place.value)));
  }
}

/** Returns the name of a key of a message. */
export function keyOf({ message, keys = [] }: Pick<Place, "message" | "keys">): string {
  return `${message} ${keys.join(".")}`;
}

/** Compares entries of a HAR file with the description of a project. */
export async function compared(config: string, entries: readonly unknown[]) {
  const { adapters, upstreams } = await prepareDryRun(config, {});
  const samples = new Distinct();
  const verifier = new Verifier(adapters, upstreams, samples);
  for (const entry of entries) await verifier.add(exchangeOf(JSON.stringify(entry)), 0);
  const methods = adapters.flatMap((each) => Object.values(each.methods).map(({ method }) => method));
  const messages = messagesBelow(methods.flatMap(({ input, output }) => [input, output]));
  return { verification: verifier.result(), samples, messages };
}

/** Returns the descriptions of a project with all suggestions for entries of a HAR file. */
export async function suggested(config: string, entries: readonly unknown[], sources: Sources) {
  const project = dirname(config);
  const { verification, samples, messages } = await compared(config, entries);
  const options = { files: new ProtoFiles(project), folder: project, minSamples: 1 };
  const { patches, open } = suggest(samples, verification, messages, options);
  const changed = patches.map(({ path, after }) => [relative(join(project, "proto"), path), after] as const);
  return { sources: { ...sources, ...Object.fromEntries(changed) } as Sources, open, samples };
}
