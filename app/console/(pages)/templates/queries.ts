import { queryOptions } from "@tanstack/react-query";

import { type AnswerOf, type InputOf, read } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type TemplateRow = AnswerOf<"templates.list">["data"][number];
export type TemplateDetail = AnswerOf<"templates.get">;
export type TemplateVersion = TemplateDetail["versions"][number];

/** The published templates, for choosing one. A company has at most 300. */
export const publishedTemplatesQuery = queryOptions({
  queryKey: ["templates", "list", "published"],
  async queryFn() {
    const rows: TemplateRow[] = [];
    for (let after: string | undefined, isLast = false; !isLast;) {
      const page = await read("templates.list", {
        query: { after, limit: "100" },
      });
      rows.push(...page.data);
      after = page.data.at(-1)?.id;
      isLast = !page.hasMore;
    }
    return rows.filter(({ status }) => status === "published");
  },
});

export const templateQuery = (id: string) => queryOf("templates.get", { params: { id } });

export type TemplateToCreate = InputOf<"templates.create">["body"];

export const useDuplicateTemplate = (onDone: (id: string) => void) =>
  useChange("templates.duplicate", {
    invalidates: ["templates.list"],
    success: "Template duplicated",
    onDone: (copy) => onDone(copy.id),
  });

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
