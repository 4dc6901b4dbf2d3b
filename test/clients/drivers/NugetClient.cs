using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using NuGet.Common;
using NuGet.Configuration;
using NuGet.Protocol;
using NuGet.Protocol.Core.Types;
using NuGet.Versioning;

/// <summary>Publishes, installs, finds and unlists packages by NuGet.Protocol, and asks NuGet.Versioning about versions.</summary>
public static class NugetClient
{
    sealed class Printer : LoggerBase
    {
        public override void Log(ILogMessage message)
        {
            if (message.Level >= LogLevel.Information) Console.WriteLine("[" + message.Level + "] " + message.Message);
        }

        public override Task LogAsync(ILogMessage message)
        {
            Log(message);
            return Task.FromResult(0);
        }
    }

    static readonly Printer printer = new Printer();
    static readonly SourceCacheContext cache = new SourceCacheContext { NoCache = true, DirectDownload = true };

    public static int Main(string[] arguments)
    {
        try
        {
            if (arguments[0] == "versions") CompareVersions();
            else Run(arguments).GetAwaiter().GetResult();
            return 0;
        }
        catch (Exception failure)
        {
            for (var each = failure; each != null; each = each.InnerException) Console.WriteLine("error: " + each.Message);
            return 1;
        }
    }

    static async Task Run(string[] arguments)
    {
        var source = new PackageSource(arguments[1], "acme");
        source.Credentials = new PackageSourceCredential("acme", "token", arguments[2], true, null);
        var repository = Repository.Factory.GetCoreV3(source);
        if (arguments[0] == "push") await Push(repository, arguments[3]);
        if (arguments[0] == "install") await Install(repository, arguments[3], arguments[4], arguments.Length > 5 ? arguments[5] : null);
        if (arguments[0] == "search") await Search(repository, arguments[3]);
        if (arguments[0] == "show") await Show(repository, arguments[3]);
        if (arguments[0] == "vulnerabilities") await Vulnerabilities(repository, arguments[3]);
        if (arguments[0] == "unlist") await Unlist(repository, arguments[3], arguments[4]);
    }

    static async Task Push(SourceRepository repository, string file)
    {
        var resource = await repository.GetResourceAsync<PackageUpdateResource>();
        await resource.Push(new List<string> { file }, null, 120, false, source => "any", source => null, false, false, null, printer);
    }

    static async Task Unlist(SourceRepository repository, string id, string version)
    {
        var resource = await repository.GetResourceAsync<PackageUpdateResource>();
        await resource.Delete(id, version, source => "any", source => true, false, printer);
    }

    /// <summary>Installs the highest version, or the one that is wanted, into a folder.</summary>
    static async Task Install(SourceRepository repository, string folder, string id, string wanted)
    {
        var resource = await repository.GetResourceAsync<FindPackageByIdResource>();
        var versions = await resource.GetAllVersionsAsync(id, cache, printer, CancellationToken.None);
        var version = wanted == null ? versions.Max() : versions.FirstOrDefault(each => each == NuGetVersion.Parse(wanted));
        if (version == null) throw new InvalidOperationException("Unable to find " + id + " " + wanted);
        var file = Path.Combine(folder, id + ".nupkg");
        using (var stream = File.Create(file))
            if (!await resource.CopyNupkgToStreamAsync(id, version, stream, cache, printer, CancellationToken.None))
                throw new InvalidOperationException("Unable to download " + id + " " + version);
        ZipFile.ExtractToDirectory(file, Path.Combine(folder, id));
        Console.WriteLine("Installed " + id + " " + version);
    }

    static async Task Search(SourceRepository repository, string text)
    {
        var resource = await repository.GetResourceAsync<PackageSearchResource>();
        foreach (var found in await resource.SearchAsync(text, new SearchFilter(false), 0, 20, printer, CancellationToken.None))
            Console.WriteLine(found.Identity);
    }

    static async Task Show(SourceRepository repository, string id)
    {
        var resource = await repository.GetResourceAsync<PackageMetadataResource>();
        foreach (var each in await resource.GetMetadataAsync(id, true, true, cache, printer, CancellationToken.None))
            Console.WriteLine(each.Identity + " " + each.IsListed + " " + each.Description + " " + string.Join(",", each.DependencySets.SelectMany(set => set.Packages)));
    }

    /// <summary>Prints the versions, of those that are given with commas between them, that each advisory on a package is about.</summary>
    static async Task Vulnerabilities(SourceRepository repository, string package)
    {
        var resource = await repository.GetResourceAsync<IVulnerabilityInfoResource>();
        if (resource == null) throw new InvalidOperationException("The source tells of no vulnerabilities.");
        var found = await resource.GetVulnerabilityInfoAsync(cache, printer, CancellationToken.None);
        if (found.Exceptions != null) throw found.Exceptions;
        var parts = package.Split('@');
        foreach (var page in found.KnownVulnerabilities)
        {
            IReadOnlyList<NuGet.Protocol.Model.PackageVulnerabilityInfo> known;
            if (!page.TryGetValue(parts[0], out known)) continue;
            foreach (var each in known)
            {
                var affected = parts[1].Split(',').Where(version => each.Versions.Satisfies(NuGetVersion.Parse(version)));
                Console.WriteLine(string.Join(" ", each.Url, each.Severity, string.Join(",", affected)));
            }
        }
    }

    /// <summary>Of each line with two versions, prints their normal forms, if they have any, and their order.</summary>
    static void CompareVersions()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var texts = line.Split('\t');
            NuGetVersion one = null, other = null;
            NuGetVersion.TryParse(texts[0], out one);
            NuGetVersion.TryParse(texts[1], out other);
            var order = one == null || other == null ? "" : Math.Sign(VersionComparer.Default.Compare(one, other)).ToString();
            Console.WriteLine(string.Join("\t", Normal(one), Normal(other), order));
        }
    }

    static string Normal(NuGetVersion version)
    {
        return version == null ? "" : version.ToFullString();
    }
}
