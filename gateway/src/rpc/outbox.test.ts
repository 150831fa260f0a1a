import { expect, test } from "vitest";
import { Outbox } from "./outbox.ts";

/** Returns an outbox, and a function that ends its turn of the event loop. */
function outbox() {
  const due: (() => void)[] = [];
  const failed: unknown[] = [];
  const box = new Outbox({
    soon: (callback) => void due.push(callback),
    fail: (error) => void failed.push(error),
  });
  const endTurn = () => {
    for (const callback of due.splice(0)) callback();
  };
  return { box, due, endTurn, failed };
}

test("the responses of a turn are sent together at the end of the turn, in order, and each only once", () => {
  const { box, due, endTurn } = outbox();
  const sent: string[] = [];
  const sender = (name: string) => ({ sendNow: () => void sent.push(name) });
  for (const name of ["a", "b", "c"]) box.add(sender(name));
  expect([sent, due.length]).toEqual([[], 1]);
  endTurn();
  expect(sent).toEqual(["a", "b", "c"]);
  box.add(sender("d"));
  endTurn();
  endTurn();
  expect(sent).toEqual(["a", "b", "c", "d"]);
});

test("a response that is added while others are being sent is sent in the next turn", () => {
  const { box, due, endTurn } = outbox();
  const sent: string[] = [];
  const next = { sendNow: () => void sent.push("next") };
  box.add({
    sendNow: () => {
      sent.push("first");
      box.add(next);
    },
  });
  endTurn();
  expect([sent, due.length]).toEqual([["first"], 1]);
  endTurn();
  expect(sent).toEqual(["first", "next"]);
});

test("a response that cannot be sent does not affect the others", () => {
  const { box, failed, endTurn } = outbox();
  const sent: string[] = [];
  const broken = new Error("broken");
  box.add({
    sendNow: () => {
      throw broken;
    },
  });
  box.add({ sendNow: () => void sent.push("next") });
  endTurn();
  expect([sent, failed]).toEqual([["next"], [broken]]);
});
