import { expect, it } from "vitest";

import { toEventId, parseEventId } from "./event-id.ts";

const UUID = "0b4f7c1e-94d3-4a55-8f0e-2f6c1d9a7b30";
const SHOWN = "msg_0b4f7c1e94d34a558f0e2f6c1d9a7b30";

it("formats a UUID as msg_ and 32 hex digits, and parses it", () => {
  expect(toEventId(UUID)).toBe(SHOWN);
  expect(parseEventId(SHOWN)).toBe(UUID);
});

it.each([
  UUID,
  "",
  "msg_",
  SHOWN.toUpperCase(),
  `${SHOWN}0`,
  `${SHOWN}\n`,
  `${SHOWN}_1`,
  SHOWN.slice(4),
])("rejects %j as an event id", (text) => expect(parseEventId(text)).toBeNull());
