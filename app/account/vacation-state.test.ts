// cspell:disable
import { expect, test } from "vitest";

import { textsOf } from "#app/console/ui/texts.tsx";
import { german } from "#server/universal/texts/de.ts";
import { account } from "#server/universal/texts/en.ts";
import { ui } from "#server/universal/texts/en-ui.ts";

import { vacationState } from "./vacation-state.ts";

const text = textsOf({ ...ui, ...account });

const FIELDS = { isOn: true, subject: "Away", text: "Back soon", timeZone: "Europe/Berlin" };
const NOW = new Date("2026-12-23T23:30:00Z");

test.each([
  [null, null, "On: Replies are sent"],
  // It is December 24 in Berlin already.
  ["2026-12-24", "2026-12-24", "On: Replies are sent until December 24, 2026"],
  ["2026-12-25", null, "Scheduled: Replies start on December 25, 2026"],
  [
    "2026-12-25",
    "2027-01-04",
    "Scheduled: Replies are sent from December 25, 2026 until January 4, 2027",
  ],
  ["2026-12-01", "2026-12-23", "Ended: Replies ended on December 23, 2026"],
])("from %s until %s: %s", (startsOn, endsOn, words) => {
  const state = vacationState({ ...FIELDS, startsOn, endsOn }, NOW, text);
  expect(`${state.label}: ${state.text}`).toBe(words);
});

test("without a reply, or with one that is off, nothing is sent", () => {
  const off = { ...FIELDS, isOn: false, startsOn: null, endsOn: null };
  for (const vacation of [null, off])
    expect(vacationState(vacation, NOW, text)).toMatchObject({ label: "Off" });
});

test("is in the language of the page", () => {
  const inGerman = textsOf({ ...german.ui, ...german.account });
  const { text: sentence } = vacationState(
    { ...FIELDS, startsOn: null, endsOn: null },
    NOW,
    inGerman,
  );
  expect(sentence).toBe("Die Abwesenheitsnotiz wird gesendet");
});
