import type { JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { parseJson } from "./json.ts";
import { MethodPage } from "./method-page.tsx";
import { Overview } from "./overview.tsx";
import { useRoute } from "./route.ts";
import { loadSchema, pathOf, type Schema } from "./schema.ts";
import { Sidebar } from "./sidebar.tsx";
import { StatePage } from "./state-page.tsx";

export function App() {
  const [loaded, setLoaded] = useState<Schema | Error>();
  useEffect(() => {
    loadSchema().then(setLoaded, (error: unknown) => setLoaded(new Error(String(error))));
  }, []);
  if (loaded === undefined) return <p class="loading">Loading the schema…</p>;
  if (loaded instanceof Error) {
    return (
      <main class="failed">
        <h1>The console cannot load</h1>
        <p role="alert">{loaded.message}</p>
      </main>
    );
  }
  return <Loaded schema={loaded} />;
}

function Loaded({ schema }: { schema: Schema }) {
  const route = useRoute();
  const [isOpen, setIsOpen] = useState(false);
  const [path = "", query = ""] = route.split(/\?(.*)/s);
  const method = schema.method(path);
  useEffect(() => {
    setIsOpen(false);
    document.title = method === undefined ? "Console" : `${method.name} · Console`;
    document.querySelector("main")?.scrollTo(0, 0);
  }, [route]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector("main")?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="methods"
          onClick={() => setIsOpen(!isOpen)}
        >
          Methods
        </button>
        <a class="title" href="#/">
          <strong>connect-rest</strong> console
        </a>
        <span class="version">{schema.version}</span>
        <a class="to-state" href="#/state" aria-current={path === "state" ? "page" : undefined}>
          State
        </a>
        <span class="host">{location.host}</span>
      </header>
      <div class={isOpen ? "body open" : "body"}>
        <Sidebar schema={schema} current={method && pathOf(method)} onSearch={() => setIsOpen(true)} />
        <main id="main" tabIndex={-1}>
          {path === "state" ? (
            <StatePage />
          ) : method === undefined ? (
            <Overview schema={schema} missing={path} />
          ) : (
            <MethodPage key={route} schema={schema} method={method} linked={messageIn(query)} />
          )}
        </main>
      </div>
    </>
  );
}

/** Returns the request in an address; undefined if there is none, or if it is not JSON. */
function messageIn(query: string): JsonValue | undefined {
  const text = new URLSearchParams(query).get("message");
  try {
    return text === null ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}
