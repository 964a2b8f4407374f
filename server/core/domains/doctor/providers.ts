/** A DNS provider, and what its customers need to know to enter records. */
export type DnsProvider = {
  /** Stable. */
  id: string;
  name: string;
  /** Its page for a domain's records, where `{zone}` stands for the registered domain, or its start page. */
  url: string;
  /** What its form calls the host and the value. */
  fields: { host: string; value: string };
  /** Where to enter records, one action each. */
  steps: string[];
  /** Its form takes full names; others append the domain. */
  takesFullNames: boolean;
  /** What to enter for the domain itself. */
  apex: string;
  /** TXT values are entered with quotes around each string. */
  wantsQuotes: boolean;
  /** A hostname in a value needs a trailing dot, or the domain is appended. */
  wantsFinalDot: boolean;
};

type ProviderEntry = Pick<DnsProvider, "id" | "name" | "url" | "steps"> &
  Partial<DnsProvider> & {
    /** Matches the hostnames of its name servers. */
    servers: RegExp;
  };

const PROVIDERS: ProviderEntry[] = [
  {
    id: "cloudflare",
    name: "Cloudflare",
    url: "https://dash.cloudflare.com/?to=/:account/:zone/dns/records",
    servers: /\.ns\.cloudflare\.com$/,
    fields: { host: "Name", value: "Content" },
    steps: [
      "Choose the domain, then DNS and Records.",
      "Choose Add record. Turn off the proxy (the orange cloud) for all mail servers.",
    ],
  },
  {
    id: "route53",
    name: "Amazon Route 53",
    url: "https://console.aws.amazon.com/route53",
    servers: /^ns-\d+\.awsdns-\d+\./,
    wantsQuotes: true,
    apex: "",
    fields: { host: "Record name", value: "Value" },
    steps: [
      "Open Hosted zones, choose the domain, then Create record.",
      "Put each TXT value in quotes. Split a value longer than 255 characters into quoted strings separated by spaces.",
      "Each host has a single TXT record with one value per line. Add the new value on a line of its own.",
    ],
  },
  {
    id: "godaddy",
    name: "GoDaddy",
    url: "https://dcc.godaddy.com/manage/{zone}/dns",
    servers: /\.domaincontrol\.com$/,
    fields: { host: "Name", value: "Value" },
    steps: ["Choose the domain, then DNS and Add new record."],
  },
  {
    id: "namecheap",
    name: "Namecheap",
    url: "https://ap.www.namecheap.com/Domains/DomainControlPanel/{zone}/advancedns",
    servers: /\.registrar-servers\.com$/,
    steps: [
      "Choose Manage next to the domain, then Advanced DNS and Add new record.",
      "To enter MX records, first choose Custom MX under Mail settings.",
    ],
  },
  {
    id: "ionos",
    name: "IONOS",
    url: "https://my.ionos.com/domain-dns-settings/{zone}",
    servers: /\.ui-dns\.(com|org|biz|de)$/,
    fields: { host: "Host name", value: "Value" },
    steps: ["Choose the domain, then DNS and Add record."],
  },
  {
    id: "hetzner",
    name: "Hetzner",
    url: "https://console.hetzner.com",
    servers: /\.ns\.hetzner\.(com|de)$|\.first-ns\.de$|\.second-ns\.(com|de)$/,
    wantsFinalDot: true,
    fields: { host: "Name", value: "Value" },
    steps: ["Open DNS, choose the zone, then Add record."],
  },
  {
    id: "ovh",
    name: "OVHcloud",
    url: "https://www.ovh.com/manager",
    servers: /\.ovh\.(net|ca)$|\.anycast\.me$/,
    apex: "",
    wantsFinalDot: true,
    fields: { host: "Sub-domain", value: "Target" },
    steps: [
      "Open Web Cloud and Domain names, choose the domain, then DNS zone and Add an entry.",
      "Choose TXT, not the forms for SPF, DKIM and DMARC, which change the value.",
    ],
  },
  {
    id: "gandi",
    name: "Gandi",
    url: "https://admin.gandi.net",
    servers: /\.gandi\.net$/,
    wantsFinalDot: true,
    fields: { host: "Name", value: "Value" },
    steps: ["Choose the domain, then DNS Records and Add record."],
  },
  {
    id: "squarespace",
    name: "Squarespace",
    url: "https://account.squarespace.com/domains/managed/{zone}/dns/dns-settings",
    servers: /\.squarespacedns\.com$/,
    fields: { host: "Name", value: "Data" },
    steps: ["Choose the domain, then DNS and DNS Settings. Add it under Custom records."],
  },
  {
    id: "google",
    name: "Google Cloud DNS or Squarespace",
    url: "https://console.cloud.google.com/net-services/dns",
    servers: /^ns-cloud-\w+\.googledomains\.com$/,
    apex: "",
    fields: { host: "DNS name", value: "Data" },
    steps: [
      "At Google Cloud: open Cloud DNS, choose the zone, then Add standard. Put TXT values in quotes.",
      "Google Domains has moved to Squarespace: choose the domain there, then DNS Settings and Custom records.",
    ],
  },
  {
    id: "azure",
    name: "Azure DNS",
    url: "https://portal.azure.com",
    servers: /\.azure-dns\.(com|net|org|info)$/,
    fields: { host: "Name", value: "Value" },
    steps: [
      "Open DNS zones, choose the domain, then Recordsets and Add.",
      "Each host has a single TXT record set. Add the new value to the existing set.",
    ],
  },
  {
    id: "digitalocean",
    name: "DigitalOcean",
    url: "https://cloud.digitalocean.com/networking/domains/{zone}",
    servers: /\.digitalocean\.com$/,
    wantsFinalDot: true,
    fields: { host: "Hostname", value: "Value" },
    steps: ["Open Networking and Domains, choose the domain, then the type of record."],
  },
  {
    id: "strato",
    name: "STRATO",
    url: "https://www.strato.de/apps/CustomerService",
    servers: /\.rzone\.de$/,
    fields: { host: "Prefix", value: "Value" },
    steps: [
      "Open Domains and Domain management, choose the gear icon next to the domain, then DNS.",
      "TXT records are under TXT and CNAME records, MX under MX record.",
    ],
  },
  {
    id: "inwx",
    name: "INWX",
    url: "https://www.inwx.de/en/nameserver",
    servers: /\.inwx\.(de|com|eu|net)$/,
    takesFullNames: true,
    fields: { host: "Name", value: "Value" },
    steps: ["Open Nameserver, choose the domain, then New record."],
  },
  {
    id: "porkbun",
    name: "Porkbun",
    url: "https://porkbun.com/account/domainsSpeedy",
    servers: /\.porkbun\.com$/,
    apex: "",
    fields: { host: "Host", value: "Answer" },
    steps: ["Choose DNS below the domain and enter the record in the form at the top."],
  },
  {
    id: "netcup",
    name: "netcup",
    url: "https://www.customercontrolpanel.de",
    servers: /-dns\.netcup\.net$/,
    fields: { host: "Host", value: "Destination" },
    steps: [
      "Open Domains, choose the magnifying glass next to the domain, then DNS, and save at the bottom.",
    ],
  },
  {
    id: "hostinger",
    name: "Hostinger",
    url: "https://hpanel.hostinger.com/domain/{zone}/dns",
    servers: /\.dns-parking\.com$/,
    fields: { host: "Name", value: "Value" },
    steps: ["Choose Manage next to the domain, then DNS / Nameservers."],
  },
  {
    id: "vercel",
    name: "Vercel",
    url: "https://vercel.com/dashboard/domains",
    servers: /\.vercel-dns\.com$/,
    apex: "",
    fields: { host: "Name", value: "Value" },
    steps: ["Choose the domain and enter the record under DNS Records."],
  },
  {
    id: "all_inkl",
    name: "ALL-INKL",
    url: "https://kas.all-inkl.com",
    servers: /\.kasserver\.com$/,
    apex: "",
    fields: { host: "Name", value: "Data" },
    steps: ["Open Tools and DNS settings, choose the domain, then New DNS record."],
  },
];

/** Sorted by name. */
export const DNS_PROVIDERS: DnsProvider[] = PROVIDERS.map((known) => ({
  takesFullNames: false,
  apex: "@",
  wantsQuotes: false,
  wantsFinalDot: false,
  fields: { host: "Host", value: "Value" },
  ...known,
})).sort((one, other) => one.name.localeCompare(other.name));

/** Finds the provider by its name servers; null if unknown. */
export function findProvider(servers: string[]): DnsProvider | null {
  const found = PROVIDERS.find((known) => servers.some((host) => known.servers.test(host)));
  return DNS_PROVIDERS.find(({ id }) => id === found?.id) ?? null;
}

/** What to enter as the host of a record; for an unknown provider, what most forms expect. */
export function hostField(name: string, zone: string, provider: DnsProvider | null): string {
  if (provider?.takesFullNames) return name;
  if (name === zone) return provider?.apex ?? "@";
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}
