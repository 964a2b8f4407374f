import { queryOptions, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf, read } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

const TEMPLATES_PER_PAGE = 20;
const LIST = ["templates", "list"];

export type TemplateRow = AnswerOf<"templates.list">["data"][number];
export type TemplateDetail = AnswerOf<"templates.get">;
export type TemplateVersion = TemplateDetail["versions"][number];

export const TEMPLATE_SORTS = ["-changed", "name"] as const;

export const templatesQuery = (place: PageCursor, sort: SortOf<typeof TEMPLATE_SORTS>) =>
  listOf(
    "templates.list",
    { ...place, sort, rows: TEMPLATES_PER_PAGE },
    { refetchInterval: false },
  );

/** The published templates, for choosing one. A company has at most 300. */
export const publishedTemplatesQuery = queryOptions({
  queryKey: [...LIST, "published"],
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
export type TemplateChanges = InputOf<"templates.update">["body"];

export const useCreateTemplate = () =>
  useAction({
    call: (body: TemplateToCreate) => change("templates.create", { body }),
    invalidates: [LIST],
    success: "Template created as a draft",
  });

/** Saves the draft and, if asked to, publishes it. */
export const useSaveTemplate = (id: string) =>
  useAction({
    async call({ body, publishes }: { body: TemplateChanges; publishes: boolean }) {
      const params = { id };
      await change("templates.update", { params, body });
      if (publishes)
        await change("templates.publish", {
          params,
        });
    },
    invalidates: [["templates"]],
    success: (_, { publishes }) => (publishes ? "Template published" : "Draft saved"),
  });

export const useDuplicateTemplate = (onDone: (id: string) => void) =>
  useAction({
    call: (id: string) =>
      change("templates.duplicate", {
        params: { id },
      }),
    invalidates: [LIST],
    success: "Template duplicated",
    onDone: (copy) => onDone(copy.id),
  });

export const useDeleteTemplate = () =>
  useAction({
    call: (id: string) => change("templates.delete", { params: { id } }),
    invalidates: [LIST],
    success: "Template deleted",
  });

/** @param onDone runs when the template has been read again: its form starts from the restored content */
export function useRestoreVersion(id: string, onDone: () => void) {
  const queryClient = useQueryClient();
  return useAction({
    async call(version: number) {
      await change("templates.restoreVersion", {
        params: { id },
        body: { version },
      });
      await queryClient.invalidateQueries(templateQuery(id));
    },
    invalidates: [LIST],
    success: (_, version) => `Version ${version} restored as a draft`,
    onDone,
  });
}
