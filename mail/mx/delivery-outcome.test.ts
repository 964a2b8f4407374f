import { expect, test } from "vitest";

import type { DeliveryRecipient } from "./mx-context.ts";
import { rejectUnlessAccepted, type DeliveryOutcome } from "./delivery-outcome.ts";
import { SmtpReply } from "./smtp-reply.ts";

const recipient: DeliveryRecipient = {
  kind: "owners",
  address: "abuse@here.test",
  companyId: null,
};
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
  ["a recipient has it", [refused, later, loop, taken], null],
  ["a retry may help one recipient", [refused, later, loop], 452],
  ["no retry helps", [loop, refused], 550],
  ["all have received it before", [loop, loop], 554],
  ["there are no recipients", [], null],
])("the reply to DATA when %s", (_, outcomes, code) => {
  const answer = () => rejectUnlessAccepted(outcomes);
  if (code === null) expect(answer).not.toThrow();
  else expect(answer).toThrow(expect.objectContaining({ responseCode: code }));
});
