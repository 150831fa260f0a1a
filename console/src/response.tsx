import type { DescMethod } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { MAX_MESSAGES, type Result } from "./call.ts";
import { Copy } from "./copy.tsx";
import { ErrorView } from "./error-view.tsx";
import { formatJson } from "./json.ts";
import { JsonView } from "./json-view.tsx";
import type { Header } from "./rpc.ts";
import { rowsOf, Table } from "./table.tsx";

type View = "JSON" | "Table" | "Headers";

const STATES: Readonly<Record<Result["state"], string>> = { running: "Running", ok: "OK", failed: "Failed" };

/** The response to a call: its messages or its error, and its headers. */
export function ResponseView({ method, result }: { method: DescMethod; result: Result }) {
  const [wanted, setWanted] = useState<View>("JSON");
  const isStream = method.methodKind !== "unary";
  const table = rowsOf(result.messages, isStream);
  const views: View[] = table === undefined ? ["JSON", "Headers"] : ["JSON", "Table", "Headers"];
  const view = views.includes(wanted) ? wanted : "JSON";
  const body = isStream ? [...result.messages] : result.messages[0];
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    summary.current?.scrollIntoView({ block: "nearest" });
  }, [result.state]);
  return (
    <section class="response" aria-labelledby="response">
      <h2 id="response">Response</h2>
      <div ref={summary} class="summary">
        <span class={`state ${result.state}`} role="status">
          {result.state === "failed" ? result.error?.code : STATES[result.state]}
        </span>
        <span>{durationText(result.durationMs)}</span>
        {result.bytes === 0 ? null : <span>{sizeText(result.bytes)}</span>}
        {isStream ? <span>{streamText(result)}</span> : null}
        <div class="views" role="group" aria-label="View">
          {views.map((name) => (
            <button key={name} type="button" aria-pressed={name === view} onClick={() => setWanted(name)}>
              {name}
            </button>
          ))}
          {body === undefined ? null : <Copy what="JSON" text={() => formatJson(body)} />}
        </div>
      </div>
      {result.error === undefined ? null : <ErrorView error={result.error} />}
      {view === "Headers" ? <Headers result={result} /> : null}
      {view === "Table" && table !== undefined ? (
        <Table rows={table.rows} label={table.key ?? "Messages"} />
      ) : null}
      {view === "JSON" && !isStream && body !== undefined ? <JsonView value={body} label="Message" /> : null}
      {view === "JSON" && isStream ? <Messages result={result} /> : null}
    </section>
  );
}

/** The messages of a stream, the newest first. */
function Messages({ result }: { result: Result }) {
  const { messages, dropped } = result;
  return (
    <ol class="messages" reversed>
      {messages
        .map((message, index) => (
          <li key={dropped + index} value={dropped + index + 1}>
            <JsonView value={message} label={`Message ${dropped + index + 1}`} />
          </li>
        ))
        .reverse()}
    </ol>
  );
}

function Headers({ result }: { result: Result }) {
  return (
    <>
      <HeaderList name="Headers" headers={result.header} />
      <HeaderList name="Trailers" headers={result.trailer} />
    </>
  );
}

function HeaderList({ name, headers }: { name: string; headers: readonly Header[] }) {
  return (
    <>
      <h3>{name}</h3>
      {headers.length === 0 ? <p class="none">none</p> : null}
      <dl class="pairs">
        {headers.map(([key, value], index) => (
          <div key={index}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function streamText({ messages, dropped }: Result): string {
  const count = messages.length + dropped;
  const text = `${count.toLocaleString("en")} ${count === 1 ? "message" : "messages"}`;
  return dropped === 0
    ? text
    : `${text}; shows the last ${MAX_MESSAGES}, dropped ${dropped.toLocaleString("en")}`;
}

function durationText(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} KB`;
}
