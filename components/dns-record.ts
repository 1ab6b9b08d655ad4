// A record in Cloudflare's zone. None is proxied: certificates, streams and Cognito's domain need the name itself.
import * as cloudflare from "@pulumi/cloudflare";
import type * as pulumi from "@pulumi/pulumi";

type DnsRecordArgs = {
  zoneId: string;
  name: pulumi.Input<string>;
  type: pulumi.Input<string>;
  content: pulumi.Input<string>;
};

/** Seconds; Cloudflare's word for "automatic". */
const automaticTtl = 1;

/**
 * The record is deleted before it is replaced: Cloudflare refuses a second record beside a CNAME, and a second one like the first
 * (developers.cloudflare.com/dns/manage-dns-records/troubleshooting/records-with-same-name, error 81053).
 */
export function dnsRecord(
  name: string,
  { zoneId, name: host, type, content }: DnsRecordArgs,
  opts: pulumi.CustomResourceOptions,
): cloudflare.DnsRecord {
  return new cloudflare.DnsRecord(
    name,
    { zoneId, name: host, type, content, ttl: automaticTtl, proxied: false },
    { deleteBeforeReplace: true, ...opts },
  );
}
