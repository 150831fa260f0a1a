import { useState } from "preact/hooks";
import { type Entry, forget, history, linkTo } from "./history.ts";

/** The last calls, of one method or of all, as links that fill in the form. */
export function Recent({ path }: { path?: string }) {
  const [all, setAll] = useState<readonly Entry[]>(history);
  const entries = all.filter((entry) => path === undefined || entry.path === path).slice(0, 10);
  if (entries.length === 0) return null;
  return (
    <details class="recent" onToggle={() => setAll(history())}>
      <summary>Recent calls</summary>
      <ul>
        {entries.map((entry) => (
          <Call key={entry.at} entry={entry} hasName={path === undefined} />
        ))}
      </ul>
      <button
        type="button"
        onClick={() => {
          forget();
          setAll([]);
        }}
      >
        Forget all calls
      </button>
    </details>
  );
}

function Call({ entry, hasName }: { entry: Entry; hasName: boolean }) {
  const { path, message, outcome, at } = entry;
  const text = JSON.stringify(message);
  return (
    <li>
      <a href={linkTo(path, message)}>
        {hasName ? `${path.split("/")[1]} ` : ""}
        {text.slice(0, 80)}
        {text.length > 80 ? "…" : ""}
      </a>
      <span>
        {outcome} · {new Date(at).toLocaleTimeString()}
      </span>
    </li>
  );
}
