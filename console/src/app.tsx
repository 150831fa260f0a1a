import type { JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { Account } from "./account.tsx";
import { keepInMemory } from "./history.ts";
import { parseJson } from "./json.ts";
import { loadSchema } from "./load-schema.ts";
import { MethodPage } from "./method-page.tsx";
import { Overview } from "./overview.tsx";
import { useRoute } from "./route.ts";
import { RpcError } from "./rpc.ts";
import { pathOf, type Schema } from "./schema.ts";
import { session } from "./session.ts";
import { Sidebar } from "./sidebar.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { StatePage } from "./state-page.tsx";

/** The state of a page at which the person has to sign in. */
interface SignedOut {
  readonly problem: string | undefined;
}

export function App() {
  const [loaded, setLoaded] = useState<Schema | Error | SignedOut>();
  const show = () => void load().then(setLoaded);
  useEffect(() => {
    session.onEnd = () => setLoaded({ problem: "Your session has ended. Sign in again." });
    show();
  }, []);
  if (loaded === undefined) return <p class="loading">Loading the schema…</p>;
  if ("problem" in loaded) {
    return <SignInPage key={loaded.problem} problem={loaded.problem} onToken={show} />;
  }
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

/** Loads the schema with the tokens of a sign-in from which the person has just returned. Never rejects. */
async function load(): Promise<Schema | Error | SignedOut> {
  let problem: string | undefined;
  try {
    await session.arrive();
  } catch (error) {
    problem = textOf(error);
  }
  try {
    const schema = await loadSchema();
    if (session.isSignedIn) keepInMemory();
    return schema;
  } catch (error) {
    const isRejected = error instanceof RpcError && error.code === "unauthenticated";
    if (!isRejected && !session.isSignedIn) return new Error(textOf(error));
    if (session.isSignedIn) problem ??= textOf(error);
    session.forget();
    return { problem };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
          <strong>connect-rest</strong> <span>console</span>
        </a>
        <span class="version">{schema.version}</span>
        <a class="to-state" href="#/state" aria-current={path === "state" ? "page" : undefined}>
          State
        </a>
        <span class="host">{location.host}</span>
        {session.isSignedIn ? <Account /> : null}
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
