// Certificate Manager: certificates and their validation. Nothing checks them here.
import type { Descriptor } from "../descriptor.ts";
import { arnOf, idOf } from "../names.ts";

const certificate: Descriptor = {
  type: "aws:acm/certificate:Certificate",
  compute(name, inputs, region) {
    const arn = arnOf("acm", String(inputs.region ?? region), `certificate/${idOf(name, 36)}`);
    const validation = {
      domainName: inputs.domainName,
      resourceRecordName: `_local.${String(inputs.domainName).replace(/^\*\./, "")}.`,
      resourceRecordType: "CNAME",
      resourceRecordValue: "_local.acm-validations.aws.",
    };
    return { id: name, outputs: { arn, domainValidationOptions: [validation] } };
  },
  inputs: { served: "domainName", noEffect: "validationMethod region" },
};

const certificateValidation: Descriptor = {
  type: "aws:acm/certificateValidation:CertificateValidation",
  compute: (name) => ({ id: name, outputs: {} }),
  inputs: { served: "certificateArn", noEffect: "validationRecordFqdns region" },
};

export const acm = [certificate, certificateValidation];
