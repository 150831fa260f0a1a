/**
 * Compiles what is written in AssemblyScript to modules with its WebAssembly: the scanner of responses,
 * and the printer of JSON.
 */
import { join } from "node:path";
import { main } from "assemblyscript/asc";

/** A program in AssemblyScript. */
export interface WasmSource {
  /** The file it begins with. */
  readonly entry: string;
  /** The generated file, and the constant in it. */
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
 * The text of a generated file, the same for the same sources and compiler.
 *
 * @throws Error with what the compiler says
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
