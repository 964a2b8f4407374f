import { pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { Decision, Reason } from "./queries.ts";

export const reasons: Record<Reason, { label: string; tone: StatusTone; sentence: string }> = {
  spam: {
    label: "Spam",
    tone: "waiting",
    sentence: "Its spam score is too high for delivery to Junk.",
  },
  virus: {
    label: "Virus",
    tone: "failed",
    sentence: "A virus scanner flagged it. It wasn’t delivered.",
  },
  moderation: {
    label: "Moderation",
    tone: "info",
    sentence: "It was posted to a moderated group and needs approval.",
  },
};

export const verbs: Record<Decision, Record<"quarantined" | "moderation", string>> = {
  release: { quarantined: "Release", moderation: "Approve" },
  delete: { quarantined: "Delete", moderation: "Reject" },
};

export const verbFor = (decision: Decision, reason: Reason): string =>
  verbs[decision][reason === "moderation" ? "moderation" : "quarantined"];

export const countMessages = (count: number): string => pluralize(count, "message");
