import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import {
  countCompanies,
  listCompanies as list,
} from "#server/core/operations/companies/companies.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { CompanyRow, companyRow, CompanyState } from "./company-row.ts";

const Filters = z.object({
  search: z.string().max(200).optional(),
  state: CompanyState.optional(),
  plan: z.union([z.uuid(), z.literal("none")]).optional(),
  sort: sortQuery(["name", "created"], "-created"),
});

export const listCompanies = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/companies",
  summary: "List the companies of this instance",
  permission: "operator",
  privilege: null,
  query: z.intersection(PageQuery, Filters),
  response: countedListOf(CompanyRow),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const { search = "", state = null, plan = null, sort, ...request } = query;
    const filters = { search: search.trim() || null, state, planId: plan };
    const page = await list(ctx.db, request, filters, sort);
    const counts = await countCompanies(ctx.db, filters, sort, page.rows[0]);
    return countedList(page, counts, companyRow);
  },
});
