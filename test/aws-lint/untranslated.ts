// Resource types of the program that CloudFormation has nothing for, and why.
export const untranslated: Record<string, string> = {
  "aws:acm/certificateValidation:CertificateValidation": "waits, and is no resource of AWS",
  "aws:cloudwatch/eventTarget:EventTarget": "is a part of its rule",
  "aws:dynamodb/tableItem:TableItem": "is an item, and CloudFormation writes none",
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": "is a part of its policy",
  "aws:cloudwatch/logIndexPolicy:LogIndexPolicy": "is a part of its log group",
  "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": "is a part of its bucket",
  "aws:s3/bucketObjectv2:BucketObjectv2": "is an object, and CloudFormation writes none",
  "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": "is a part of its bucket",
  "cloudflare:index/dnsRecord:DnsRecord": "is not AWS's",
  "pulumi:providers:aws": "says where the model host's role lies",
};
