import { z } from "zod";

import { listCompanies as list } from "#server/core/operations/companies/list-companies.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { CompanyRow, companyRow, CompanyState } from "./company-row.ts";

const Filters = z.object({
  search: z.string().max(200).optional(),
  state: CompanyState.optional(),
  plan: z.union([z.uuid(), z.literal("none")]).optional(),
});

export const listCompanies = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/companies",
  summary: "List the companies of this instance, newest first",
  permission: "operator",
  privilege: null,
  query: z.intersection(PageQuery, Filters),
  response: listOf(CompanyRow),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const { search = "", state = null, plan = null } = query;
    const filters = { search: search.trim() || null, state, planId: plan };
    return listObject(await list(ctx.db, query, filters), companyRow);
  },
});
