import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../testing/child.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-completion-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Lists other methods with the configuration file `other file.yaml`. */
const METHODS = `connect-rest() {
  if [ "$*" = "methods --config other file.yaml" ]; then
    echo other.v1.OtherService/Other
  else
    echo 'echo.v1.EchoService/Echo echo.v1.$(touch pwned) *'
  fi
}`;

/** Starts each shell with the functions that complete commands, and prints the results. */
const SHELLS = {
  bash: { prepare: "", complete: `_connect_rest; printf '%s\\n' "\${COMPREPLY[@]}"` },
  zsh: { prepare: "autoload -U compinit && compinit -D -u", complete: "compgen -F _connect_rest" },
} as const;

const isInstalled = (shell: string) => spawnSync(shell, ["-c", ""]).status === 0;

describe.each(["bash", "zsh"] as const)("in %s", (shell) => {
  let script = "";
  beforeAll(async () => {
    const run = runCli(["completion", shell], directory);
    await run.exit;
    script = run.output().stdout;
  });

  /** Returns the completions of the last word. */
  function completions(...words: readonly string[]): readonly string[] {
    const { prepare, complete } = SHELLS[shell];
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const program = `${prepare}
${METHODS}
${script}
COMP_WORDS=(connect-rest ${quoted}); COMP_CWORD=${words.length}
${complete}`;
    const { stdout, stderr } = spawnSync(shell, ["-c", program], { encoding: "utf8", cwd: directory });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  }

  // without zsh, its tests are reported as skipped
  test.skipIf(!isInstalled(shell)).each<[string, readonly string[], readonly string[]]>([
    ["commands", ["exp"], ["explain"]],
    ["methods", ["call", "echo.v1.E"], ["echo.v1.EchoService/Echo"]],
    ["methods without their package", ["call", "EchoS"], ["EchoService/Echo"]],
    ["no commands in names", ["call", "echo.v1.$"], ["echo.v1.$(touch"]],
    ["no unknown methods", ["call", "other"], []],
    ["options", ["explain", "Echo", "--s"], ["--sandbox", "--send"]],
    ["options before the method", ["explain", "--s"], ["--sandbox", "--send"]],
    ["no second method", ["call", "echo.v1.EchoService/Echo", "echo"], []],
    [
      "methods of another configuration",
      ["call", "--config", "other file.yaml", "other"],
      ["other.v1.OtherService/Other"],
    ],
    [
      "methods of a configuration after other options",
      ["explain", "--send", "--data", "{}", "--config=other file.yaml", "Oth"],
      ["OtherService/Other"],
    ],
    [
      "methods of a configuration in the words of bash",
      ["explain", "--config", "=", "other file.yaml", "other.v1.O"],
      ["other.v1.OtherService/Other"],
    ],
    ["no values of options", ["call", "--config", "o"], []],
  ])("the script completes %s", (_name, words, expected) => {
    expect(completions(...words)).toEqual(expected);
    expect(existsSync(path.join(directory, "pwned"))).toBe(false);
  });
});
