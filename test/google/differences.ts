/**
 * Where our requests differ from those of google-gax, each with the sentence that decides it. A method that differs and
 * is not listed fails the test, and so does one that is listed and does not differ.
 */
import type { Part } from "./compare.ts";

export interface Difference {
  readonly part: Part;
  /** What differs, and which side is right. */
  readonly what: string;
  /** The sentence that decides, and where it stands. */
  readonly sentence: string;
  /** Full names, sorted. */
  readonly methods: readonly string[];
}

export const DIFFERENCES: readonly Difference[] = [
  {
    part: "body",
    what: "A field that is set, but empty, is the body `{}`; google-gax sends none. Ours is right.",
    sentence:
      "google/api/http.proto, HttpRule.body: The name of the request field whose value is mapped to the HTTP request body",
    methods: [
      "google.ads.admanager.v1.DaiEncodingProfileService.CreateDaiEncodingProfile",
      "google.ai.generativelanguage.v1beta.PermissionService.CreatePermission",
      "google.analytics.admin.v1alpha.AnalyticsAdminService.UpdateCustomDimension",
      "google.analytics.admin.v1beta.AnalyticsAdminService.CreateKeyEvent",
      "google.apps.drive.labels.v2beta.LabelService.CreateLabelPermission",
      "google.cloud.aiplatform.v1.SessionService.AppendEvent",
      "google.cloud.aiplatform.v1.TensorboardService.CreateTensorboard",
      "google.cloud.aiplatform.v1.TensorboardService.UpdateTensorboardExperiment",
      "google.cloud.aiplatform.v1beta1.IndexService.UpdateIndex",
      "google.cloud.aiplatform.v1beta1.VertexRagDataService.UpdateRagMetadata",
      "google.cloud.alloydb.v1beta.AlloyDBAdmin.CreateUser",
      "google.cloud.beyondcorp.appconnectors.v1.AppConnectorsService.UpdateAppConnector",
      "google.cloud.bigquery.reservation.v1.ReservationService.UpdateCapacityCommitment",
      "google.cloud.blockchainnodeengine.v1.BlockchainNodeEngine.UpdateBlockchainNode",
      "google.cloud.ces.v1beta.AgentService.UpdateAgent",
      "google.cloud.ces.v1beta.AgentService.UpdateTool",
      "google.cloud.chronicle.v1.EntityService.UpdateWatchlist",
      "google.cloud.commerceproducer.v1beta.CommerceTransaction.UpdatePrivateOffer",
      "google.cloud.configdelivery.v1alpha.ConfigDelivery.UpdateFleetPackage",
      "google.cloud.contactcenterinsights.v1.ContactCenterInsights.UpdateIssue",
      "google.cloud.datacatalog.v1.PolicyTagManager.UpdatePolicyTag",
      "google.cloud.dataform.v1beta1.Dataform.CreateWorkflowConfig",
      "google.cloud.dataform.v1beta1.Dataform.UpdateWorkflowConfig",
      "google.cloud.developerconnect.v1.DeveloperConnect.UpdateAccountConnector",
      "google.cloud.dialogflow.v2.KnowledgeBases.CreateKnowledgeBase",
      "google.cloud.discoveryengine.v1beta.ServingConfigService.UpdateServingConfig",
      "google.cloud.filestore.v1beta1.CloudFilestoreManager.UpdateSnapshot",
      "google.cloud.geminidataanalytics.v1alpha.DataAgentService.UpdateDataAgent",
      "google.cloud.gsuiteaddons.v1.GSuiteAddOns.ReplaceDeployment",
      "google.cloud.kms.v1.KeyManagementService.UpdateCryptoKey",
      "google.cloud.managedkafka.v1.ManagedKafka.CreateAcl",
      "google.cloud.metastore.v1alpha.DataprocMetastore.UpdateService",
      "google.cloud.netapp.v1.NetApp.UpdateBackup",
      "google.cloud.numberregistry.v1alpha.CloudNumberRegistry.UpdateIpamAdminScope",
      "google.cloud.recaptchaenterprise.v1.RecaptchaEnterpriseService.UpdateKey",
      "google.cloud.redis.cluster.v1.CloudRedisCluster.UpdateCluster",
      "google.cloud.secretmanager.v1.SecretManagerService.UpdateSecret",
      "google.cloud.secretmanager.v1beta2.SecretManagerService.UpdateSecret",
      "google.cloud.security.privateca.v1beta1.CertificateAuthorityService.UpdateCertificateAuthority",
      "google.cloud.securitycenter.v1.SecurityCenter.UpdateSecurityMarks",
      "google.cloud.securitycenter.v1p1beta1.SecurityCenter.CreateSource",
      "google.cloud.securitycenter.v2.SecurityCenter.UpdateFinding",
      "google.cloud.securitycenter.v2.SecurityCenter.UpdateResourceValueConfig",
      "google.cloud.sql.v1.SqlInstancesService.Clone",
      "google.cloud.sql.v1beta4.SqlInstancesService.RotateEntraIdCertificate",
      "google.cloud.support.v2.SupportEventSubscriptionService.CreateSupportEventSubscription",
      "google.cloud.talent.v4.TenantService.UpdateTenant",
      "google.cloud.tasks.v2.CloudTasks.UpdateQueue",
      "google.cloud.telcoautomation.v1.TelcoAutomation.CreateDeployment",
      "google.cloud.vision.v1p3beta1.ProductSearch.UpdateProduct",
      "google.cloud.visionai.v1.Warehouse.UpdateCorpus",
      "google.cloud.visionai.v1alpha1.Warehouse.UpdateSearchConfig",
      "google.cloud.vmwareengine.v1.VmwareEngine.UpdateCluster",
      "google.cloud.websecurityscanner.v1beta.WebSecurityScanner.CreateScanConfig",
      "google.cloud.workstations.v1.Workstations.UpdateWorkstationConfig",
      "google.devicesandservices.health.v4.DataSubscriptionService.CreateSubscription",
      "google.devtools.artifactregistry.v1.ArtifactRegistry.UpdateProjectSettings",
      "google.example.library.v1.LibraryService.CreateShelf",
      "google.shopping.merchant.lfp.v1beta.LfpInventoryService.InsertLfpInventory",
      "google.storage.control.v2.StorageControl.UpdateOrganizationIntelligenceConfig",
    ],
  },
  {
    part: "error",
    what: "google-gax spells display_video_360_advertiser_link in a way of its own, and does not find it. Ours is right.",
    sentence:
      "google/api/http.proto, Special notes: the proto to JSON conversion must follow the proto3 specification",
    methods: ["google.analytics.admin.v1alpha.AnalyticsAdminService.UpdateDisplayVideo360AdvertiserLink"],
  },
  {
    part: "body",
    what: "A google.api.HttpBody is the body itself, with its own type; google-gax sends JSON. Ours is right.",
    sentence:
      "google/api/httpbody.proto, HttpBody: Message that represents an arbitrary HTTP body. It should only be used for payload formats that can't be represented as JSON",
    methods: [
      "google.cloud.aiplatform.v1beta1.PredictionService.ChatCompletions",
      "google.devtools.cloudbuild.v1.CloudBuild.ReceiveTriggerWebhook",
    ],
  },
  {
    part: "body",
    what: "A google.protobuf.ListValue in a list is an array; google-gax sends an object with indices as keys. Ours is right.",
    sentence:
      "google/protobuf/struct.proto, ListValue: The JSON representation for `ListValue` is JSON array",
    methods: ["google.spanner.v1.Spanner.StreamingRead"],
  },
];
