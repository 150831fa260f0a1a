import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Actions, optionsOf, type Settings } from "./actions.tsx";
import { call, type Result } from "./call.ts";
import { CopyAs } from "./copy-as.tsx";
import { Doc } from "./doc.tsx";
import { ExplanationView } from "./explanation.tsx";
import { MessageForm } from "./form.tsx";
import { linkTo, remember, withoutSecrets } from "./history.ts";
import { formatJson, parseJson, pathText } from "./json.ts";
import { type Problem, problemsOf } from "./problems.ts";
import { Recent } from "./recent.tsx";
import { requestOf } from "./request-of.ts";
import { ResponseView } from "./response.tsx";
import { isCallable, pathOf, type Schema } from "./schema.ts";
import { session } from "./session.ts";

interface MethodProps {
  readonly schema: Schema;
  readonly method: DescMethod;
}

interface MethodPageProps extends MethodProps {
  /** The request in the address; undefined if there is none. */
  readonly linked: JsonValue | undefined;
}

/** A request message as JSON text, and as the value of the last text that was JSON. */
interface Draft {
  readonly text: string;
  readonly json: JsonValue;
  /** Why the text is not JSON. */
  readonly syntax: string | undefined;
}

/** The drafts of methods that were left, by path. */
const drafts = new Map<string, Draft>();

/** A method: its comment, its request as a form and as JSON, and the response. */
export function MethodPage({ schema, method, linked }: MethodPageProps) {
  const path = pathOf(method);
  const [draft, setDraft] = useState(() => firstDraft(schema, method, linked));
  const [settings, setSettings] = useState<Settings>({ headers: "", seconds: "" });
  const [sent, setSent] = useState<Draft>();
  const { result, send, cancel } = useCall(schema, method);
  useEffect(() => {
    drafts.set(path, draft);
    session.place = () => linkTo(path, withoutSecrets(schema, method.input, draft.json));
    return () => {
      session.place = () => location.hash;
    };
  }, [draft]);
  const local = useMemo(() => problemsOf(schema, method.input, draft.json), [draft.json]);
  const remote = draft === sent ? (result?.error?.problems ?? []) : [];
  const shown = [...local.filter(({ isFatal, text }) => isFatal || text !== "required" || sent), ...remote];
  const isFatal = draft.syntax !== undefined || local.some((problem) => problem.isFatal);
  const isRunning = result?.state === "running";
  const submit = () => {
    if (isFatal || isRunning || !isCallable(method)) return;
    setSent(draft);
    send(request);
  };
  const request = { message: draft.json, ...optionsOf(settings) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the button Send
    <div
      class="method"
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      <MethodHead schema={schema} method={method} />
      <section class="request" aria-labelledby="request">
        <h2 id="request">Request</h2>
        <div class="panes">
          <div class="form" role="group" aria-label="Form">
            <MessageForm
              schema={schema}
              problems={byPath(shown)}
              desc={method.input}
              json={draft.json}
              at={[]}
              onChange={(json) => setDraft(draftOf(json))}
            />
          </div>
          <JsonEditor draft={draft} problems={shown} onChange={setDraft} />
        </div>
        {schema.hasExplain ? (
          <ExplanationView method={method} message={draft.json} headers={request.headers} isFatal={isFatal} />
        ) : null}
        {isCallable(method) ? (
          <Actions
            isRunning={isRunning}
            isFatal={isFatal}
            settings={settings}
            onChange={setSettings}
            onSend={submit}
            onCancel={cancel}
          />
        ) : (
          <p class="note">
            A browser cannot send a stream of messages (the Fetch API reads the response only after the
            request). Copy a command or a program that does.
          </p>
        )}
        <CopyAs schema={schema} method={method} request={request} />
        <Recent path={path} />
      </section>
      {result === undefined ? null : <ResponseView method={method} result={result} />}
    </div>
  );
}

function MethodHead({ schema, method }: MethodProps) {
  const kind = method.methodKind
    .replaceAll("_", " ")
    .replace("streaming", "stream")
    .replace("bidi", "two-way");
  return (
    <div class="head">
      <p class="service">{method.parent.typeName}</p>
      <h1>
        {method.name} {method.methodKind === "unary" ? null : <span class="badge">{kind}</span>}
        {method.idempotency === 1 ? <span class="badge">read-only</span> : null}
        {method.proto.options?.deprecated === true ? <span class="badge">deprecated</span> : null}
      </h1>
      <Doc text={schema.commentOf(method)} />
    </div>
  );
}

interface EditorProps {
  readonly draft: Draft;
  readonly problems: readonly Problem[];
  readonly onChange: (draft: Draft) => void;
}

/** The request as editable JSON, and its problems. */
function JsonEditor({ draft, problems, onChange }: EditorProps) {
  const change = (text: string) => {
    try {
      onChange({ text, json: text.trim() === "" ? {} : parseJson(text), syntax: undefined });
    } catch (error) {
      onChange({ ...draft, text, syntax: error instanceof Error ? error.message : String(error) });
    }
  };
  const texts = problems.map(({ path, text }) => (path.length === 0 ? text : `${pathText(path)}: ${text}`));
  if (draft.syntax !== undefined) texts.unshift(`${draft.syntax}. The form shows the last valid JSON.`);
  return (
    <div class="editor">
      <label for="json">JSON</label>
      <textarea
        id="json"
        spellcheck={false}
        aria-invalid={texts.length > 0 || undefined}
        aria-describedby="json-problems"
        rows={Math.min(Math.max(draft.text.split("\n").length + 1, 8), 30)}
        value={draft.text}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <div id="json-problems" class="problems" role="status">
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

/** The call of a method that runs, or ran last. It is canceled when the user leaves the method. */
function useCall(schema: Schema, method: DescMethod) {
  const [result, setResult] = useState<Result>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    result,
    send: (request: Parameters<typeof call>[2]) => {
      const abort = new AbortController();
      running.current = abort;
      const finish = (next: Result) => {
        setResult(next);
        if (next.state === "running") return;
        remember(schema, method, request.message, next.error?.code ?? "ok");
      };
      void call(schema, method, request, abort.signal, finish);
    },
    cancel: () => running.current?.abort(),
  };
}

function firstDraft(schema: Schema, method: DescMethod, linked: JsonValue | undefined): Draft {
  if (linked !== undefined) return draftOf(linked);
  return drafts.get(pathOf(method)) ?? draftOf(requestOf(schema, method));
}

function draftOf(json: JsonValue): Draft {
  return { text: formatJson(json), json, syntax: undefined };
}

function byPath(problems: readonly Problem[]): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(problems, ({ path }) => pathText(path));
  return new Map([...groups].map(([path, group]) => [path, group.map(({ text }) => text)]));
}
