/**
 * Compiles the AssemblyScript programs to WebAssembly modules: the scanner for responses and the printer for
 * JSON.
 */
import { join } from "node:path";
import { main } from "assemblyscript/asc";

/** An AssemblyScript program. */
export interface WasmSource {
  /** The entry file. */
  readonly entry: string;
  /** The generated file, and its constant. */
  readonly path: string;
  readonly constant: string;
  readonly what: string;
}

export const WASM_SOURCES: readonly WasmSource[] = [
  {
    entry: "codec/scanner/scan.ts",
    path: "codec/src/gen/scanner.ts",
    constant: "SCANNER",
    what: "The scanner's WebAssembly",
  },
  {
    entry: "codec/printer/print.ts",
    path: "codec/src/gen/printer.ts",
    constant: "PRINTER",
    what: "The printer's WebAssembly",
  },
];

const OPTIONS = [
  "--outFile=out.wasm",
  "--runtime=stub",
  "--optimizeLevel=3",
  "--converge",
  "--noAssert",
  "--enable=simd,bulk-memory",
  "--initialMemory=1",
  "--use=abort=",
  "--disableWarning=201",
];
const COLUMNS = 120;

/**
 * Returns the text of a generated file. The text depends only on the sources and the compiler.
 *
 * @throws Error with the compiler's message
 */
export async function wasmModule({ entry, constant, what }: WasmSource): Promise<string> {
  let wasm: Uint8Array | undefined;
  const baseDir = join(import.meta.dirname, "..");
  const { error, stderr } = await main([entry, ...OPTIONS, `--baseDir=${baseDir}`], {
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") wasm = contents;
    },
  });
  if (error !== null || wasm === undefined) {
    throw new Error(`asc: ${error?.message ?? ""}\n${stderr.toString()}`);
  }
  const lines =
    Buffer.from(wasm)
      .toString("base64")
      .match(new RegExp(`.{1,${COLUMNS}}`, "g")) ?? [];
  const text = lines.map((line) => `  "${line}"`).join(" +\n");
  const [folder] = entry.split(/\/\w+\.ts$/);
  return `// @generated from ${folder} by scripts/wasm.ts, with AssemblyScript\n\n/** ${what}, as base64. */\nexport const ${constant}: string =\n${text};\n`;
}
