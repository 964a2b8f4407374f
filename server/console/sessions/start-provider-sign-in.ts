import { defineProviderStart } from "#server/http/define-provider-start.ts";

export const startProviderSignIn = defineProviderStart("console");
