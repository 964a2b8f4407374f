import { getQuarantined as get } from "#server/core/mail/quarantine/get-quarantined.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, QuarantineDetail, QuarantinePath, quarantineRow } from "./quarantine-row.ts";

export const getQuarantined = defineEndpoint({
  method: "GET",
  path: "/console/api/quarantine/{id}",
  summary: "Retrieve a quarantined message",
  permission: "console",
  privilege: ["update_users", "manage_groups"],
  params: QuarantinePath,
  notFound: NOT_FOUND,
  response: QuarantineDetail,
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    const held = await get(ctx, params.id, visibleReasons(signedIn));
    const { findings, clientAddress, size, text, isFromHtml, attachments, source, isCut } = held;
    return {
      ...quarantineRow(held),
      ...{ findings, client_address: clientAddress, size, text, attachments, source },
      is_from_html: isFromHtml,
      is_cut: isCut,
    };
  },
});
