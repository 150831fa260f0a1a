import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { projectFiles } from "../../gateway/src/init/files.ts";
import { run as runCommand } from "../../import/src/cli/command.ts";

/** The output and exit code of a tool. */
export interface Output {
  readonly code: number | undefined;
  readonly output: string;
}

function run(tool: string, args: readonly string[], cwd: string): Promise<Output> {
  return new Promise((done) => {
    const child = execFile(resolve(tool), args, { cwd, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      done({ code: child.exitCode ?? undefined, output: stdout + stderr });
    });
  });
}

/** A project folder in which imported files are linted, generated and type-checked. */
export class TestProject {
  readonly folder = mkdtempSync(join(tmpdir(), "import-"));

  constructor() {
    symlinkSync(resolve("node_modules"), join(this.folder, "node_modules"));
    this.write("package.json", JSON.stringify({ type: "module" }));
    this.write("tsconfig.json", JSON.stringify({ extends: resolve("tsconfig.json"), ...CHECKED }));
    for (const file of ["buf.yaml", "buf.gen.yaml"]) this.write(file, PROJECT_FILES.get(file) ?? "");
    this.write("rules.yaml", "type: google.api.Service\nconfig_version: 3\n");
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.folder, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  buf(...args: readonly string[]): Promise<Output> {
    return run("node_modules/.bin/buf", args, this.folder);
  }

  tsc(): Promise<Output> {
    return run("node_modules/.bin/tsc", ["-p", "."], this.folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const CHECKED = {
  compilerOptions: { types: ["node"], typeRoots: [resolve("node_modules/@types")] },
  include: ["gen"],
  exclude: [],
};

const PROJECT_FILES = projectFiles({
  name: "imported",
  document: "openapi.yaml",
  baseUrl: "https://api.example.com",
  credentials: "none",
});

/** The output and exit code of the command. */
export interface CommandRun {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the import command in this process. */
export async function runImport(args: readonly string[], input = ""): Promise<CommandRun> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const texts = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommand(args, { input: stdin, output: stdout, errors: stderr });
  stdout.end();
  stderr.end();
  const [output, errors] = await texts;
  return { code, output, errors };
}
