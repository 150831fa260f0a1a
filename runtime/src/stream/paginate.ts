import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { PaginateAdapter } from "../adapter/adapter.ts";
import { aroundItems, itemsOf, pageOf, together } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { send } from "../call/send.ts";
import { namesOf } from "../errors/names.ts";
import { restError } from "../errors/rest-error.ts";
import { Pacer, paced } from "../time/pacer.ts";
import { Pager } from "./pager.ts";

/**
 * Yields the items of a list, page by page. Requests a page only when its first item is requested.
 *
 * @throws ConnectError reason PAGES_EXCEEDED if there are more pages than the method allows, reason
 *   EMPTY_PAGES_EXCEEDED if too many consecutive pages have no items, and the errors of page requests
 */
export async function* paginate(
  call: RunningCall<PaginateAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { items, maxPages: limit, maxEmptyPages } = call.adapter;
  const pager = new Pager(call, message);
  const pacer = new Pacer(call.context.signal);
  let emptyPages = 0;
  for (let pages = 1; ; pages++) {
    const response = await send(call, pager.request, { scan: true });
    const page = pageOf(call, response, items, call.adapter.empty);
    const unseen = pager.unseen(page);
    const found = together(pager.lost(page, unseen, response), aroundItems(call, page, response));
    yield* paced(await itemsOf(call, page, response, unseen, found), pacer);
    const { inPieces } = response.body;
    const advance = () => pager.advance(page, response);
    const goesOn = inPieces === undefined ? advance() : await call.inTurns(inPieces.asking(advance));
    if (!goesOn) return undefined;
    if (pages >= limit) throw restError("PAGES_EXCEEDED", { ...namesOf(call.adapter), limit });
    emptyPages = page.items.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages >= maxEmptyPages) {
      throw restError("EMPTY_PAGES_EXCEEDED", { ...namesOf(call.adapter), limit: maxEmptyPages });
    }
  }
}
