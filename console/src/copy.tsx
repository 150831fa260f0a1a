import { useState } from "preact/hooks";

interface CopyProps {
  readonly what: string;
  readonly text: () => string;
  /** The text of the button. Default: `Copy` and the name. */
  readonly label?: string;
  readonly isSmall?: boolean;
}

/** A button that copies a text to the clipboard. */
export function Copy({ what, label: short, text, isSmall = false }: CopyProps) {
  const [state, setState] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState("Copied");
    } catch {
      setState("Not allowed");
    }
    setTimeout(() => setState(""), 1500);
  };
  const name = `Copy ${what}`;
  const label = state === "" ? name : state;
  return (
    <button
      type="button"
      class={isSmall ? "copy small" : "copy"}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      {isSmall ? <CopyIcon /> : state === "" ? (short ?? name) : state}
    </button>
  );
}

function CopyIcon() {
  return (
    <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
      <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" fill="none" stroke="currentColor" stroke-width="1.3" />
    </svg>
  );
}
