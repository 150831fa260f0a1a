import { printText } from "./output.ts";
import { createProgram } from "./program.ts";

/** The commands whose first argument is a method. */
const WITH_METHOD = "call|explain";

/** Runs `connect-rest completion`: prints a script that completes commands, options and methods. */
export async function completion(shell: "bash" | "zsh"): Promise<void> {
  printText(shell === "bash" ? bash() : zsh());
}

/** Returns the options of each command, by the name of the command. */
function optionsOf(): readonly (readonly [command: string, options: string])[] {
  return createProgram().commands.map((command) => {
    const options = command.options.flatMap(({ long }) => long ?? []);
    return [command.name(), [...options, "--help"].join(" ")] as const;
  });
}

function bash(): string {
  const cases = optionsOf().map(([name, options]) => `    ${name}) words="${options}" ;;`);
  return `_connect_rest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${optionsOf()
      .map(([name]) => name)
      .join(" ")}"
  elif [[ "$current" != -* && "$COMP_CWORD" -eq 2 && "$command" =~ ^(${WITH_METHOD})$ ]]; then
    words="$(connect-rest methods 2>/dev/null)"
  else
    case "$command" in
${cases.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _connect_rest connect-rest
`;
}

function zsh(): string {
  return `autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}
