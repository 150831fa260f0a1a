import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { StepUp } from "./account.tsx";
import type { Detail, ShownError } from "./error.ts";
import { isObject } from "./json.ts";
import { Address, JsonView } from "./json-view.tsx";

/** An error with its decoded details. */
export function ErrorView({ error }: { error: ShownError }) {
  return (
    <div class="error" role="alert">
      <p class="headline">
        <strong>{error.code}</strong> {error.message}
      </p>
      <StepUp challenge={error.challenge} />
      {error.details.map((detail, index) => (
        <section key={index} class="detail" aria-label={detail.type}>
          <h4>{detail.type}</h4>
          <DetailView {...detail} />
        </section>
      ))}
    </div>
  );
}

function DetailView({ type, value }: Detail) {
  if (value === undefined) return <p>This gateway's schema does not describe the detail.</p>;
  switch (type) {
    case "google.rpc.ErrorInfo": {
      const metadata = isObject(value.metadata) ? value.metadata : {};
      return <Pairs pairs={{ reason: value.reason, domain: value.domain, ...metadata }} />;
    }
    case "google.rpc.RetryInfo":
      return <p>Try again after {String(value.retryDelay ?? "0s")}.</p>;
    case "google.rpc.RequestInfo":
      return <Pairs pairs={value} />;
    case "google.rpc.Help":
      return (
        <ul>
          {objects(value.links).map(({ description, url }) => (
            <li key={String(url)}>
              {String(description ?? "")} <Address address={String(url)} />
            </li>
          ))}
        </ul>
      );
    case "google.rpc.BadRequest":
      return <Pairs pairs={fieldPairs(objects(value.fieldViolations))} />;
    default:
      return <JsonView value={value} label={type} />;
  }
}

function fieldPairs(violations: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(violations.map(({ field, description }) => [String(field), String(description)]));
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function Pairs({ pairs }: { pairs: Readonly<Record<string, JsonValue | undefined>> }) {
  return (
    <dl class="pairs">
      {Object.entries(pairs).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
