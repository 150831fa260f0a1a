import type { Command } from "commander";
import { printText } from "./output.ts";

/** The commands whose first argument is a method. */
const WITH_METHOD = "call|explain";

/** Runs `connect-rest completion`: prints a script that completes commands, options and methods. */
export function completion(shell: "bash" | "zsh", program: Command): void {
  printText(shell === "bash" ? bash(program) : zsh(program));
}

/** Returns the options of each command, by the name of the command. */
function optionsOf({ commands }: Command): readonly (readonly [command: string, options: string])[] {
  return commands.map((command) => {
    const options = command.options.flatMap(({ long }) => long ?? []);
    return [command.name(), [...options, "--help"].join(" ")] as const;
  });
}

function bash(program: Command): string {
  const commands = optionsOf(program);
  const cases = commands.map(([name, options]) => `    ${name}) words="${options}" ;;`);
  return `_connect_rest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" config=() words
  COMPREPLY=()
  [ "\${COMP_WORDS[2]}" = --config ] && config=("\${COMP_WORDS[@]:2:2}")
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(([name]) => name).join(" ")}"
  elif [[ "$current" != -* && "$COMP_CWORD" -eq $((2 + \${#config[@]})) && "$command" =~ ^(${WITH_METHOD})$ ]]; then
    words="$(connect-rest methods "\${config[@]}" 2>/dev/null)" || words=""
  else
    case "$command" in
${cases.join("\n")}
    esac
  fi
  # compgen -W would run the commands in a word
  local word
  set -f
  for word in $words; do
    [[ "$word" == "$current"* ]] && COMPREPLY+=("$word")
  done
  set +f
}
complete -o default -F _connect_rest connect-rest
`;
}

function zsh(program: Command): string {
  return `autoload -U +X bashcompinit && bashcompinit
${bash(program)}`;
}
