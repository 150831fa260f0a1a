/** Compiles the scanner of responses (runtime/scanner) to a module with its WebAssembly, by AssemblyScript. */
import { join } from "node:path";
import { main } from "assemblyscript/asc";

const OPTIONS = [
  "scanner/scan.ts",
  "--outFile=scanner.wasm",
  "--runtime=stub",
  "--optimizeLevel=3",
  "--converge",
  "--noAssert",
  "--enable=simd,bulk-memory",
  "--initialMemory=1",
  "--use=abort=",
  "--disableWarning=201",
];
/** The generated file. */
export const SCANNER_PATH = "runtime/src/gen/scanner.ts";
const COLUMNS = 120;

/**
 * The text of the generated file, the same for the same sources and compiler.
 *
 * @throws Error with what the compiler says
 */
export async function scannerModule(): Promise<string> {
  let wasm: Uint8Array | undefined;
  const baseDir = join(import.meta.dirname, "../runtime");
  const { error, stderr } = await main([...OPTIONS, `--baseDir=${baseDir}`], {
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") wasm = contents;
    },
  });
  if (error !== null || wasm === undefined)
    throw new Error(`asc: ${error?.message ?? ""}\n${stderr.toString()}`);
  const lines =
    Buffer.from(wasm)
      .toString("base64")
      .match(new RegExp(`.{1,${COLUMNS}}`, "g")) ?? [];
  const text = lines.map((line) => `  "${line}"`).join(" +\n");
  return `// @generated from runtime/scanner by scripts/scanner.ts, with AssemblyScript\n\n/** The scanner's WebAssembly, as base64. */\nexport const SCANNER: string =\n${text};\n`;
}
