import type { Context } from "#server/core/shared/context.ts";

import { changeCompany } from "./change-company.ts";

/** Turns the service on or off for a company. While it is off, every API call fails with `service_disabled`. */
export async function setService(ctx: Context, isOn: boolean): Promise<void> {
  await changeCompany(ctx, ({ serviceEnabled }) =>
    serviceEnabled === isOn
      ? null
      : {
          set: { serviceEnabled: isOn },
          action: isOn ? "company.service_switched_on" : "company.service_switched_off",
        },
  );
}
