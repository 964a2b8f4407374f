import type { StatusTone } from "#app/console/ui/status.tsx";

/** "Draft", "Published" or "Published, with a draft". */
export function templateStatus(
  status: "draft" | "published",
  hasDraft: boolean,
): { tone: StatusTone; label: string } {
  if (status === "draft") return { tone: "none", label: "Draft" };
  return hasDraft
    ? { tone: "waiting", label: "Published, with a draft" }
    : { tone: "done", label: "Published" };
}
