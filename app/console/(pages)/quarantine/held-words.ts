import type { Meaning } from "#app/console/ui/status.tsx";

import type { Decision, Reason } from "./queries.ts";

/** Why a message is held, and what it means to whoever looks after mail. */
export const reasons: Record<Reason, { word: string; meaning: Meaning; sentence: string }> = {
  spam: {
    word: "Spam",
    meaning: "waiting",
    sentence: "It looks too much like spam for anybody's Junk folder.",
  },
  virus: {
    word: "Virus",
    meaning: "failed",
    sentence: "A virus scanner found something in it. Nobody has received it.",
  },
  moderation: {
    word: "Moderation",
    meaning: "informing",
    sentence: "It was written to a group whose messages a moderator lets through.",
  },
};

/** What one does with a message, by why it is held. */
export const verbs: Record<Decision, Record<"held" | "moderation", string>> = {
  release: { held: "Release", moderation: "Approve" },
  delete: { held: "Delete", moderation: "Reject" },
};

export const verbOf = (decision: Decision, reason: Reason): string =>
  verbs[decision][reason === "moderation" ? "moderation" : "held"];

/** "3 messages" */
export const messagesInWords = (count: number): string =>
  count === 1 ? "1 message" : `${count} messages`;

/** "12.4 KB" */
export function sizeInWords(octets: number): string {
  if (octets < 1024) return `${octets} bytes`;
  if (octets < 1024 * 1024) return `${(octets / 1024).toFixed(1)} KB`;
  return `${(octets / 1024 / 1024).toFixed(1)} MB`;
}
