/**
 * `npm run bench -- generator`: compares the adapter generator with protoc-gen-es, in separate processes, on
 * the same files of Google's APIs.
 */
import { parseArgs } from "node:util";
import { GENERATORS } from "../test/google/generators.ts";
import { closure, googleImage, type Image, type ImageFile } from "../test/google/image.ts";
import { Random } from "../test/google/random.ts";
import { ADAPTER_OPTIONS, encodeRequest, namesToGenerate } from "../test/google/request.ts";
import { compileAll } from "./generator-compile.ts";
import { wholeIn } from "./options.ts";
import { median } from "./statistics.ts";
import { type Usage, usageOf } from "./usage.ts";

const SEED = 1;
/** TypeScript from both generators, for a fair comparison. */
const MESSAGE_OPTIONS = "target=ts,import_extension=ts,erasable_syntax=true";
const HELP = `Usage: npm run bench -- generator [options]

  --files <n>   files picked from all of Google's APIs, with all that they import; 0 for every file, which takes
                protoc-gen-es minutes a round (default 500)
  --rounds <n>  runs of each, taken in turn (default 3); medians are printed
  --compile     generate the adapters of all files but two, compile them with tsc, and measure nothing
`;

/** Runs `npm run bench -- generator` and returns the text to print. */
export async function benchGenerator(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string", default: "500" },
      rounds: { type: "string", default: "3" },
      compile: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return HELP;
  if (values.compile) return await compileAll();
  return await measure(
    pick(googleImage(), wholeIn("--files", values.files, 0)),
    wholeIn("--rounds", values.rounds, 1),
  );
}

async function measure(files: readonly ImageFile[], rounds: number): Promise<string> {
  const requests = {
    adapters: encodeRequest(files, ADAPTER_OPTIONS),
    messages: encodeRequest(files, MESSAGE_OPTIONS),
  };
  const ours: Usage[] = [];
  const theirs: Usage[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await usageOf([GENERATORS.adapters], requests.adapters));
    theirs.push(await usageOf([GENERATORS.messages], requests.messages));
  }
  return table(namesToGenerate(files).length, ours, theirs);
}

function pick(image: Image, count: number): ImageFile[] {
  if (count === 0) return [...image.values()];
  const names = new Random(SEED).shuffle(namesToGenerate([...image.values()]));
  return closure(image, names.slice(0, count));
}

function table(files: number, ours: readonly Usage[], theirs: readonly Usage[]): string {
  const row = (name: string, pickOne: (usage: Usage) => number, unit: string) => {
    const [our, their] = [median(ours.map(pickOne)), median(theirs.map(pickOne))];
    const ratio = median(ours.map((usage, round) => pickOne(usage) / pickOne(theirs[round] ?? usage)));
    return `${name.padEnd(8)} ${our.toFixed(0).padStart(8)} ${their.toFixed(0).padStart(14)} ${unit}   x ${ratio.toFixed(2)}`;
  };
  return [
    `${files} files, ${ours.length} rounds; medians, and the median of the ratios.`,
    "             ours  protoc-gen-es",
    row("time", ({ wallMs }) => wallMs, "ms"),
    row("CPU", ({ cpuMs }) => cpuMs, "ms"),
    row("memory", ({ rssMb }) => rssMb, "MB"),
  ].join("\n");
}
