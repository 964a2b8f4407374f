import { expect, test } from "vitest";

import type { DeliveryRecipient } from "./mx-context.ts";
import { rejectUnlessAccepted, type DeliveryOutcome } from "./delivery-outcome.ts";
import { SmtpReply } from "./smtp-reply.ts";

const recipient: DeliveryRecipient = { is: "owners", address: "abuse@here.test", companyId: null };
const taken: DeliveryOutcome = { recipient, status: "accepted" };
const loop: DeliveryOutcome = { recipient, status: "loop" };
const later: DeliveryOutcome = {
  recipient,
  status: "deferred",
  reply: new SmtpReply(452, "4.2.2", "full"),
};
const refused: DeliveryOutcome = {
  recipient,
  status: "rejected",
  reply: new SmtpReply(550, "5.1.1", "gone"),
};

test.each<[string, DeliveryOutcome[], number | null]>([
  ["somebody has it", [refused, later, loop, taken], null],
  ["one may have it later", [refused, later, loop], 452],
  ["nobody ever will", [loop, refused], 550],
  ["all have it already", [loop, loop], 554],
  ["there is nobody left", [], null],
])("the one answer when %s", (_, outcomes, code) => {
  const answer = () => rejectUnlessAccepted(outcomes);
  if (code === null) expect(answer).not.toThrow();
  else expect(answer).toThrow(expect.objectContaining({ responseCode: code }));
});
