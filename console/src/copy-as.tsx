import type { DescMethod } from "@bufbuild/protobuf";
import { commandsFor, TOKEN_HEADER } from "./commands.ts";
import { Copy } from "./copy.tsx";
import { linkTo, withoutSecrets } from "./history.ts";
import type { Request } from "./rpc.ts";
import { pathOf, type Schema } from "./schema.ts";
import { session } from "./session.ts";

interface CopyAsProps {
  readonly schema: Schema;
  readonly method: DescMethod;
  readonly request: Request;
}

/** Buttons that copy the call as commands, as a program, and as a link to the console. */
export function CopyAs({ schema, method, request }: CopyAsProps) {
  const link = () => {
    const message = withoutSecrets(schema, method.input, request.message);
    return new URL(linkTo(pathOf(method), message), location.href).href;
  };
  const isOwn = request.headers.some(([name]) => name.toLowerCase() === "authorization");
  const headers = session.isSignedIn && !isOwn ? [TOKEN_HEADER, ...request.headers] : request.headers;
  return (
    <div class="copy-as" role="group" aria-label="Copy the call">
      <span>Copy as</span>
      {Object.entries(commandsFor(method)).map(([name, command]) => (
        <Copy
          key={name}
          what={`as ${name}`}
          label={name}
          text={() => command(method, { ...request, headers }, new URL(location.href))}
        />
      ))}
      <Copy what="as link" label="link" text={link} />
    </div>
  );
}
