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

/** Returns a pattern of the options that have a value. */
function withValue({ commands }: Command): string {
  const options = commands.flatMap((command) => command.options.filter((option) => option.required));
  return [...new Set(options.flatMap(({ long }) => long ?? []))].join("|");
}

/** Returns a script that also works in zsh, where `words` is a special variable. */
function bash(program: Command): string {
  const commands = optionsOf(program);
  const cases = commands.map(([name, options]) => `    ${name}) candidates="${options}" ;;`);
  return `_connect_rest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" method="" value=""
  local candidates="" index option config each
  config=()
  COMPREPLY=()
  for ((index = 2; index < COMP_CWORD; index++)); do
    each="\${COMP_WORDS[index]}"
    if [ -n "$value" ]; then
      # bash splits --option=value into three words
      [ "$each" = "=" ] && continue
      [ "$value" = --config ] && config=(--config "$each")
      value=""
      continue
    fi
    case "$each" in
      --config=*) config=(--config "\${each#*=}") ;;
      ${withValue(program)}) value="$each" ;;
      -*) ;;
      *) method="$each" ;;
    esac
  done
  # the shell completes file names
  [ -n "$value" ] && return
  if [ "$COMP_CWORD" -eq 1 ]; then
    candidates="${commands.map(([name]) => name).join(" ")}"
  elif [[ "$current" != -* && -z "$method" && "$command" =~ ^(${WITH_METHOD})$ ]]; then
    candidates="$(connect-rest methods "\${config[@]}" 2>/dev/null)" || candidates=""
  else
    case "$command" in
${cases.join("\n")}
    esac
  fi
  # compgen -W would run the commands in a word
  set -f
  for each in $candidates; do
    if [[ "$each" == "$current"* ]]; then
      COMPREPLY+=("$each")
    elif [[ "\${each##*.}" == "$current"* ]]; then
      # a service without its package
      COMPREPLY+=("\${each##*.}")
    fi
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
