import { Doc, firstSentence } from "./doc.tsx";
import { Recent } from "./recent.tsx";
import { pathOf, type Schema } from "./schema.ts";

/** The first page: the services and their methods. */
export function Overview({ schema, missing }: { schema: Schema; missing: string }) {
  const count = schema.services.reduce((sum, { methods }) => sum + methods.length, 0);
  return (
    <div class="overview">
      {missing === "" ? null : <p role="alert">This gateway serves no method {missing}.</p>}
      <h1>
        {schema.services.length} services, {count} methods
      </h1>
      <p class="lead">
        Choose a method, fill in its request, and send it through this gateway. Press <kbd>/</kbd> to search.
      </p>
      <Recent />
      {schema.services.map((service) => (
        <section key={service.typeName} class="card">
          <h2>{service.typeName}</h2>
          <Doc text={schema.comment(service.typeName)} />
          <ul>
            {service.methods.map((method) => (
              <li key={method.name}>
                <a href={`#/${pathOf(method)}`}>{method.name}</a>
                <span>{firstSentence(schema.commentOf(method))}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
