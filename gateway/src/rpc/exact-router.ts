import type { DescMethod, Registry } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type MethodImpl } from "@connectrpc/connect";
import type { UniversalHandlerOptions } from "@connectrpc/connect/protocol";
import { checkText, jsonText, readableJson } from "../protocol/read-json.ts";

type Options = Partial<UniversalHandlerOptions>;

/**
 * Creates a router that reads integers and keys of JSON requests exactly; `keysInterceptor` handles the keys.
 * connect does not pass the message type to the text decoder, so each method gets a separate decoder.
 *
 * @param jsonOptions the options of the router, which connect does not merge with its own
 */
export function exactRouter(
  router: ConnectRouter,
  jsonOptions: Options["jsonOptions"],
  types: Registry,
): ConnectRouter {
  const optionsOf = (method: DescMethod, given?: Options): Options => {
    const read = { ignoreUnknownFields: true, ...jsonOptions, ...given?.jsonOptions, registry: types };
    const decode = (bytes = new Uint8Array()) => {
      const text = jsonText(bytes);
      const readable = readableJson(method.input, text, read);
      checkText(text, bytes);
      return readable;
    };
    // connect's types lack `textDecoder`, although its serialization accepts one
    const exact = { ...jsonOptions, ...given?.jsonOptions, textDecoder: { decode } };
    return { ...given, jsonOptions: exact };
  };
  const exact: ConnectRouter = {
    handlers: router.handlers,
    rpc: (method, implementation, given) => {
      router.rpc(method, implementation, optionsOf(method, given));
      return exact;
    },
    service: (service, implementation, given) => {
      const methods = implementation as Readonly<Record<string, unknown>>;
      for (const method of service.methods) {
        const own = methods[method.localName];
        const call = typeof own === "function" ? own.bind(implementation) : unimplemented(method);
        router.rpc(method, call as MethodImpl<DescMethod>, optionsOf(method, given));
      }
      return exact;
    },
  };
  return exact;
}

function unimplemented(method: DescMethod): () => never {
  return () => {
    const name = `${method.parent.typeName}.${method.name}`;
    throw new ConnectError(`${name} is not implemented`, Code.Unimplemented);
  };
}
