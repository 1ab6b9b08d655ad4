// Cloudflare: DNS records. The edge knows its hosts without them.
import type { Descriptor } from "../descriptor.ts";
import { idOf } from "../names.ts";

const dnsRecord: Descriptor = {
  type: "cloudflare:index/dnsRecord:DnsRecord",
  compute: (name) => ({ id: idOf(name, 32), outputs: {} }),
  inputs: { noEffect: "zoneId name type content ttl proxied" },
};

export const cloudflare = [dnsRecord];
