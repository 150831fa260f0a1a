import type { Header, Request } from "./rpc.ts";

/** The settings of a call as the user writes them. */
export interface Settings {
  /** Lines of `name: value`. */
  readonly headers: string;
  /** The deadline; empty for no deadline. */
  readonly seconds: string;
}

interface ActionsProps {
  readonly isRunning: boolean;
  /** Whether the request cannot be sent. */
  readonly isFatal: boolean;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
  readonly onSend: () => void;
  readonly onCancel: () => void;
}

/** The buttons that send and cancel a call, with its deadline and its headers. */
export function Actions({ isRunning, isFatal, settings, onChange, onSend, onCancel }: ActionsProps) {
  return (
    <div class="actions">
      <button type="button" class="primary" disabled={isFatal || isRunning} onClick={onSend}>
        Send
      </button>
      <button type="button" disabled={!isRunning} onClick={onCancel}>
        Cancel
      </button>
      <label>
        Deadline{" "}
        <input
          class="short"
          inputMode="decimal"
          placeholder="none"
          value={settings.seconds}
          onInput={({ currentTarget: { value } }) => onChange({ ...settings, seconds: value })}
        />{" "}
        s
      </label>
      <details>
        <summary>Headers</summary>
        <textarea
          aria-label="Request headers, one per line"
          placeholder="authorization: Bearer …"
          rows={2}
          spellcheck={false}
          value={settings.headers}
          onInput={({ currentTarget: { value } }) => onChange({ ...settings, headers: value })}
        />
      </details>
    </div>
  );
}

/** Returns the settings for a request. */
export function optionsOf({ headers, seconds }: Settings): Pick<Request, "headers" | "timeoutMs"> {
  const number = Number(seconds);
  return { headers: headersOf(headers), timeoutMs: number > 0 ? number * 1000 : undefined };
}

function headersOf(text: string): Header[] {
  return text.split("\n").flatMap((line) => {
    const [, name, value = ""] = /^\s*([^\s:]+)\s*:\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
}
