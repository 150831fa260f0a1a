import type { DescMethod } from "@bufbuild/protobuf";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { pathOf, type Schema } from "./schema.ts";

interface SidebarProps {
  readonly schema: Schema;
  /** The path of the method that is open. */
  readonly current: string | undefined;
  /** Called before the search gets the focus, so that the sidebar is visible. */
  readonly onSearch: () => void;
}

/** The services and methods, with a search. */
export function Sidebar({ schema, current, onSearch }: SidebarProps) {
  const [query, setQuery] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const rank = rankOf(query);
  const groups = schema.services
    .map((service) => ({
      service,
      methods: service.methods.filter((each) => matches(schema, each, query)).sort(by(rank)),
    }))
    .filter(({ methods }) => methods.length > 0)
    .sort(by(({ methods: [best] }) => (best === undefined ? 0 : rank(best))));
  const count = groups.reduce((sum, { methods }) => sum + methods.length, 0);
  useSlash(input, onSearch);
  const first = groups[0]?.methods[0];
  return (
    <nav id="methods" aria-label="Methods">
      <div class="search">
        <input
          ref={input}
          type="search"
          placeholder="Search methods"
          aria-label="Search methods"
          aria-keyshortcuts="/"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && first !== undefined) location.hash = `#/${pathOf(first)}`;
            if (event.key === "Escape") setQuery("");
          }}
        />
        <kbd>/</kbd>
      </div>
      <p class="count" role="status">
        {query === ""
          ? `${count} methods`
          : count === 0
            ? "0 found. Search for a part of a name or a comment."
            : `${count} found`}
      </p>
      <div class="groups">
        {groups.map(({ service, methods }) => (
          <section key={service.typeName} aria-label={service.typeName}>
            <h2 title={service.typeName}>
              {service.name} <span>{service.file.proto.package}</span>
            </h2>
            <ul>
              {methods.map((method) => (
                <li key={method.name}>
                  <a
                    href={`#/${pathOf(method)}`}
                    aria-current={pathOf(method) === current ? "page" : undefined}
                  >
                    <span>{method.name}</span>
                    {method.methodKind === "unary" ? null : <Streams method={method} />}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

function Streams({ method }: { method: DescMethod }) {
  return <small>{method.methodKind === "server_streaming" ? "stream" : "client stream"}</small>;
}

/** Returns whether each word of the query is part of the method's name or comment. */
function matches(schema: Schema, method: DescMethod, query: string): boolean {
  const text = `${pathOf(method)} ${schema.commentOf(method)}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Ranks methods by the words that their names contain, then by short names. Lower ranks are better. */
function rankOf(query: string): (method: DescMethod) => number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ name }) => {
    const text = name.toLowerCase();
    return words.length === 0 ? 0 : name.length - 1000 * words.filter((word) => text.includes(word)).length;
  };
}

function by<T>(rank: (each: T) => number): (one: T, other: T) => number {
  return (one, other) => rank(one) - rank(other);
}

/** Lets the key `/` focus the search, except while the user writes text. */
function useSlash(input: RefObject<HTMLInputElement | null>, onSearch: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isText = target.matches("input, textarea, select");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isText) return;
      event.preventDefault();
      onSearch();
      // the sidebar may only be visible after the next rendering
      requestAnimationFrame(() => input.current?.select());
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
