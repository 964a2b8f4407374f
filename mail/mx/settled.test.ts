import { expect, test } from "vitest";

import type { Person } from "./door.ts";
import { refuseUnlessTaken, type Settled } from "./settled.ts";
import { SmtpReply } from "./smtp-reply.ts";

const recipient: Person = { is: "owners", address: "abuse@here.test", companyId: null };
const taken: Settled = { recipient, as: "taken" };
const loop: Settled = { recipient, as: "loop" };
const later: Settled = { recipient, as: "later", reply: new SmtpReply(452, "4.2.2", "full") };
const refused: Settled = { recipient, as: "refused", reply: new SmtpReply(550, "5.1.1", "gone") };

test.each<[string, Settled[], number | null]>([
  ["somebody has it", [refused, later, loop, taken], null],
  ["one may have it later", [refused, later, loop], 452],
  ["nobody ever will", [loop, refused], 550],
  ["all have it already", [loop, loop], 554],
  ["there is nobody left", [], null],
])("the one answer when %s", (_, settled, code) => {
  const answer = () => refuseUnlessTaken(settled);
  if (code === null) expect(answer).not.toThrow();
  else expect(answer).toThrow(expect.objectContaining({ responseCode: code }));
});
